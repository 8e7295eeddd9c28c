import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Tool } from '../../../src/contracts/tool.ts';
import { builtinTools } from '../../../src/tools/builtin/builtin-tools.ts';
import { BUILTIN_TOOL_NAMES } from '../../../src/tools/builtin/names.ts';
import { callTool } from '../../../src/tools/call-tool.ts';
import { createToolContext } from '../../support/tool-context.ts';

async function find(name: string): Promise<Tool> {
  return (await builtinTools()).find(({ spec }) => spec.name === name)!;
}

it('lists the tools that exist', async () => {
  expect((await builtinTools()).map(({ spec }) => spec.name)).toEqual([...BUILTIN_TOOL_NAMES]);
});

it('describes every parameter', async () => {
  for (const { spec } of await builtinTools()) {
    const { properties } = spec.input as { properties: Record<string, { description?: string }> };
    for (const property of Object.values(properties)) expect(property.description).toBeTruthy();
  }
});

it('says of every tool how long a call may take, and what it gives', async () => {
  for (const { spec } of await builtinTools()) {
    const isInstant = ['do_nothing', 'task_complete'].includes(spec.name);
    const takesWhatItIsGiven = spec.name === 'llm' || spec.name === 'ask_human';
    if (!isInstant && !takesWhatItIsGiven) expect(spec, spec.name).toHaveProperty('timeoutMs');
    // These give whatever is handed to them, or asked for.
    if (!['task_complete', 'ask_human'].includes(spec.name)) expect(spec, spec.name).toHaveProperty('output');
  }
});

it('says which arguments are paths and addresses, and which tools bring in what others wrote', async () => {
  for (const { spec } of await builtinTools()) {
    const { properties } = spec.input as { properties: Record<string, unknown> };
    for (const [name, kind] of [
      ['path', 'path'],
      ['url', 'url'],
    ] as const) {
      if (name in properties) expect(spec.argumentKinds?.[name], spec.name).toBe(kind);
    }
    if ('url' in properties) expect(spec.openWorld, spec.name).toBe(true);
  }
});

describe('read_file', () => {
  let root = '';
  let workspace = '';

  beforeAll(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'sortie-read-file-')));
    workspace = join(root, 'work');
    mkdirSync(join(workspace, 'sub'), { recursive: true });
    mkdirSync(join(root, 'work-beside'));
    writeFileSync(join(root, 'secret.txt'), 'secret');
    writeFileSync(join(root, 'work-beside', 'secret.txt'), 'secret');
    writeFileSync(join(workspace, 'note.txt'), 'grüezi');
    writeFileSync(join(workspace, '..odd.txt'), 'odd');
    writeFileSync(join(workspace, 'binary.bin'), Buffer.from([0xff, 0xfe, 0x00]));
    writeFileSync(join(workspace, 'large.txt'), '');
    truncateSync(join(workspace, 'large.txt'), 4 * 1024 * 1024 + 1);
    symlinkSync(join(root, 'secret.txt'), join(workspace, 'link.txt'));
    symlinkSync(root, join(workspace, 'up'));
    symlinkSync('note.txt', join(workspace, 'inner-link.txt'));
    execFileSync('mkfifo', [join(workspace, 'pipe')]);
  });

  afterAll(() => rmSync(root, { recursive: true, force: true }));

  const read = async (path: string): Promise<unknown> =>
    callTool(await find('read_file'), { path }, createToolContext({ workspace }));

  it.each([
    ['note.txt', 'grüezi'],
    ['./sub/../note.txt', 'grüezi'],
    ['inner-link.txt', 'grüezi'],
    ['..odd.txt', 'odd'],
  ])('reads %s', async (path, text) => {
    expect(await read(path)).toBe(text);
  });

  it('reads an absolute path that lies inside', async () => {
    expect(await read(join(workspace, 'note.txt'))).toBe('grüezi');
  });

  it.each([
    ['../secret.txt', 'policy_denied'],
    ['sub/../../secret.txt', 'policy_denied'],
    ['../work-beside/secret.txt', 'policy_denied'],
    ['/etc/passwd', 'policy_denied'],
    ['link.txt', 'policy_denied'],
    ['up/secret.txt', 'policy_denied'],
    ['not-there.txt', 'missing_info'],
    ['note.txt/x', 'missing_info'],
    ['sub', 'tool_misuse'],
    ['pipe', 'tool_misuse'],
    ['nul\0.txt', 'tool_misuse'],
    ['large.txt', 'tool_failed'],
    ['binary.bin', 'tool_failed'],
  ])('does not read %j: %s', async (path, code) => {
    await expect(read(path)).rejects.toMatchObject({ code });
  });
});

describe('llm', () => {
  it('asks in the role that it is given', async () => {
    const context = createToolContext({
      ask: (role, request) => Promise.resolve(JSON.stringify([role, request])),
    });
    const ask = async (args: Record<string, string>) =>
      JSON.parse((await callTool(await find('llm'), args, context)) as string) as unknown;
    expect(await ask({ prompt: 'why?' })).toEqual(['worker', { prompt: 'why?' }]);
    expect(await ask({ prompt: 'why?', role: 'poet', instructions: 'Rhyme.' })).toEqual([
      'poet',
      { prompt: 'why?', instructions: 'Rhyme.' },
    ]);
  });
});

it('do_nothing returns null', async () => {
  expect(callTool(await find('do_nothing'), {}, createToolContext())).toBeNull();
});
