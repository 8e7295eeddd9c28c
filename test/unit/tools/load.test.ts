import { describe, expect, it } from 'vitest';
import { OrchestratorError } from '../../../src/kernel/errors.ts';
import { callTool } from '../../../src/tools/call-tool.ts';
import { createToolContext } from '../../support/tool-context.ts';
import { createLoader, modulePath } from '../../support/user-modules.ts';

async function failureOf(promise: Promise<unknown>): Promise<OrchestratorError> {
  const error: unknown = await promise.then(
    () => new Error('it did not fail'),
    (reason: unknown) => reason,
  );
  if (error instanceof OrchestratorError) return error;
  throw error;
}

describe('loadTools', () => {
  it('collects every exported tool once, with its origin, and gives it the running package', async () => {
    const tools = await createLoader().loadTools(modulePath('good.ts'));
    expect(tools.map(({ spec }) => spec.name).toSorted()).toEqual(['miss', 'shout']);
    expect(new Set(tools.map(({ origin }) => origin))).toEqual(new Set([modulePath('good.ts')]));
    const [shout, miss] = ['shout', 'miss'].map((name) => tools.find(({ spec }) => spec.name === name)!);
    expect(callTool(shout!, { text: 'hey' }, createToolContext())).toBe('HEY!');
    expect(() => callTool(miss!, {}, createToolContext())).toThrow(OrchestratorError);
  });

  it('loads plain JavaScript with a JSON Schema', async () => {
    const [tool] = await createLoader().loadTools(modulePath('plain.mjs'));
    expect(callTool(tool!, { n: 1 }, createToolContext())).toBe(2);
  });

  it.each([
    ['throws.ts', 'module_failed', /throws\.ts:6: no key for the service$/],
    ['throws-beside.ts', 'module_failed', /throws\.ts:6: no key for the service$/],
    ['syntax.ts', 'module_failed', /syntax\.ts:1:24: Unexpected token$/],
    [
      'missing-package.ts',
      'module_failed',
      /missing-package\.ts: Cannot find module 'a-package-that-is-not-there'$/,
    ],
    ['no-tools.ts', 'module_failed', /no-tools\.ts exports no tool \(its exports: answer, check\)$/],
    ['not-there.ts', 'module_failed', /there is no module .*not-there\.ts$/],
    ['notes.txt', 'module_failed', /notes\.txt is no module: its name must end in \.ts, \.mts, \.js, \.mjs$/],
    ['same-names.ts', 'tool_conflict', /same-names\.ts exports two tools that are called "twin"$/],
    [
      'invalid-tool.ts',
      'tool_invalid',
      /invalid-tool\.ts:3: tool "bad name": name must be .*run must be a function$/,
    ],
  ])('%s fails with %s, saying where and what', async (name, code, message) => {
    const error = await failureOf(createLoader().loadTools(modulePath(name)));
    expect(error.code).toBe(code);
    expect(error.message).toMatch(message);
    expect(error.exitCode).toBe(2);
  });
});

describe('loadExport', () => {
  it('gives one export', async () => {
    const check = await createLoader().loadExport(modulePath('good.ts'), 'hasReport');
    expect((check as (report: string) => boolean)('x')).toBe(true);
  });

  it('names what was meant where there is none of that name', async () => {
    const error = await failureOf(createLoader().loadExport(modulePath('good.ts'), 'hasRaport'));
    expect([error.code, error.hint]).toEqual(['module_failed', 'Did you mean hasReport?']);
  });
});

describe('loadProvider', () => {
  it('gives the default export', async () => {
    expect((await createLoader().loadProvider(modulePath('provider.ts'))).name).toBe('fixture');
  });

  it('refuses a module without a provider', async () => {
    const error = await failureOf(createLoader().loadProvider(modulePath('good.ts')));
    expect(error.message).toMatch(/exports no provider/);
  });
});

it('loads a module once, whatever is asked of it', async () => {
  const loader = createLoader();
  const [first, second] = await Promise.all([
    loader.loadExport(modulePath('good.ts'), 'shout'),
    loader.loadExport(modulePath('good.ts'), 'shout'),
  ]);
  expect(first).toBe(second);
});
