/* The built command with real adapters over local servers that speak the APIs of the vendors. */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { RunResult } from '../../src/index.ts';
import type { ApiMode } from '../../src/providers/reasoning.ts';
import { answerAsCityModels } from '../support/city-models.ts';
import { type ModelServer, type Scenario, startModelServer } from '../support/model-server/model-server.ts';
import type { WireRequest } from '../support/model-server/wire.ts';
import { CITY_COMPARE, type Ending, runCommand, temporaryFolder } from './command.ts';

const folder = temporaryFolder();
const KEY = 'key-of-the-vendor-1234';

let server: ModelServer;
let answer: (request: WireRequest) => Scenario | Promise<Scenario>;
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  server = await startModelServer((request) => answer(request));
  env = {
    ...{ ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: server.baseUrl('messages') },
    ...{ OPENAI_API_KEY: KEY, OPENAI_BASE_URL: server.baseUrl('chat'), MY_KEY: KEY },
  };
});
afterAll(() => server.close());
beforeEach(() => {
  answer = answerAsCityModels;
});

/** Runs a task to its end, and the requests that it made. */
async function run(...args: string[]): Promise<Ending & { result: RunResult; requests: WireRequest[] }> {
  const before = server.requests.length;
  const ending = await runCommand(folder, ['run', ...args, '--json'], env);
  const result = (ending.stdout === '' ? {} : JSON.parse(ending.stdout)) as RunResult;
  return { ...ending, result, requests: server.requests.slice(before) };
}

/** Writes a task with the parts that do not matter filled in. */
function writeTask(name: string, task: object): string {
  const file = join(folder, `${name}.yaml`);
  const parts = { name, goal: 'Say what you see.', verify: { judge: 'off' }, ...task };
  writeFileSync(file, JSON.stringify(parts));
  return file;
}

/** Everything that stands in the folder of a run. */
function textOf(runFolder: string | null): string {
  const files = readdirSync(runFolder ?? '', { recursive: true }).map((name) =>
    join(runFolder ?? '', String(name)),
  );
  return files.flatMap((file) => (statSync(file).isFile() ? [readFileSync(file, 'utf8')] : [])).join('\n');
}

const COMPATIBLE = (): string =>
  JSON.stringify({
    name: 'compatible',
    baseUrl: server.baseUrl('chat'),
    apiKeyEnv: 'MY_KEY',
    model: 'house-model',
  });

describe('the example, unchanged', () => {
  it.each<[string, ApiMode, () => string]>([
    ['anthropic', 'messages', () => 'anthropic'],
    ['openai', 'chat', () => 'openai'],
    ['openai-responses', 'responses', () => 'openai-responses'],
    ['a compatible server', 'chat', COMPATIBLE],
  ])('runs with %s', async (_, api, provider) => {
    const { exitCode, result, requests } = await run(CITY_COMPARE, '--provider', provider());
    expect(result).toMatchObject({ status: 'verified', verdict: { outcome: 'pass', tier: 'judge' } });
    expect(exitCode).toBe(0);
    expect(result.usage).toMatchObject({ toolCalls: 10, llmCalls: 3, inputTokens: 33, outputTokens: 21 });
    expect(requests.map((request) => request.api)).toEqual([api, api, api]);
    for (const { headers, isStreamed } of requests) {
      expect([headers['authorization'], isStreamed]).toEqual([`Bearer ${KEY}`, true]);
    }
    for (const city of ['Tokyo', 'Paris', 'Lima']) expect(result.answer).toContain(`## ${city}`);
    expect(textOf(result.folder)).not.toContain(KEY);
  });

  it('runs again from the record without a request, and has no answer for other inputs', async () => {
    const recorded = await run(CITY_COMPARE, '--provider', COMPATIBLE(), '--run-id', 'recorded-1');
    expect(recorded.result.status).toBe('verified');
    const again = await run(CITY_COMPARE, '--provider', 'recorded:recorded-1');
    expect(again.requests).toEqual([]);
    expect(again.result).toMatchObject({ status: 'verified', answer: recorded.result.answer });
    const other = await run(CITY_COMPARE, '--provider', 'recorded:recorded-1', '--input', 'cities=Oslo');
    expect(other).toMatchObject({
      exitCode: 1,
      requests: [],
      result: { failure: { code: 'model_unscripted' } },
    });
  });
});

describe('prices', () => {
  const priced = (more: object = {}) => ({
    ...{ tools: ['do_nothing'], provider: JSON.parse(COMPATIBLE()) as object },
    ...more,
  });
  const plan = (): Scenario => ({
    reply: { text: '{"nodes":[{"id":"a","tool":"do_nothing","args":{}}],"output":"a"}' },
  });
  // A host that is not this machine as far as the address says.
  const elsewhere = () => ({
    ...{ name: 'compatible', apiKeyEnv: 'MY_KEY', model: 'house-model' },
    baseUrl: server.baseUrl('chat').replace('127.0.0.1', '0.0.0.0'),
  });

  it('of the task outrank the list', async () => {
    answer = plan;
    const price = { inputPerMTok: 1000, outputPerMTok: 3000 };
    const { result } = await run(writeTask('priced', priced({ prices: { 'house-model': price } })));
    expect(result.usage.costUsd).toBeCloseTo((11 * 1000 + 7 * 3000) / 1e6, 9);
  });

  it('that are not known leave the cost unknown, and a budget in dollars refuses to start', async () => {
    answer = plan;
    const task = { ...priced(), provider: elsewhere() };
    const unknown = await run(writeTask('unknown', task));
    expect(unknown.result.usage.costUsd).toBeNull();
    expect(unknown.exitCode).toBe(0);
    const told = await runCommand(folder, ['run', writeTask('unknown', task)], env);
    expect(told.stdout).toMatch(/^spent .* cost unknown/m);
    const limited = await run(writeTask('limited', { ...task, budget: { costUsd: 1 } }));
    expect(limited.exitCode).toBe(2);
    expect(limited.stderr).toContain('the price of model house-model is unknown');
    expect(limited.requests).toEqual([]);
    const given = {
      ...task,
      budget: { costUsd: 1 },
      prices: { 'house-model': { inputPerMTok: 1, outputPerMTok: 1 } },
    };
    expect((await run(writeTask('given', given))).result.usage.costUsd).toBeCloseTo(18e-6, 9);
  });
});

describe('a role with a chain of its own', () => {
  beforeAll(() => {
    writeFileSync(
      join(folder, 'look.mjs'),
      `import { defineTool } from 'sortie';
       export const look = defineTool({
         name: 'look', description: 'Looks at a picture.', costHint: 1, effect: 'read',
         input: { type: 'object', properties: {}, additionalProperties: false },
         run: (args, { ask }) => ask('vision', {
           prompt: 'What is this?',
           images: [{ mediaType: 'image/png', data: '${'iVBORw0KGgo'.padEnd(40_000, 'A')}' }],
         }),
       });`,
    );
  });

  it.each<[string, object, string]>([
    ['anthropic', { name: 'anthropic' }, 'claude-sonnet-5-5'],
    ['openai', { name: 'openai' }, 'gpt-5-mini'],
    ['openai-responses', { name: 'openai-responses' }, 'gpt-5-mini'],
  ])('is shown images there: vision at %s', async (name, provider, model) => {
    answer = (request) =>
      request.model === model
        ? { reply: { text: 'A cat.' } }
        : { reply: { text: '{"nodes":[{"id":"a","tool":"look","args":{}}],"output":"a"}' } };
    const file = writeTask(`vision-${name}`, {
      tools: ['./look.mjs'],
      provider: JSON.parse(COMPATIBLE()) as object,
      models: { vision: [{ provider, model }] },
      budget: { tokens: 30_000 },
    });
    const { result, requests } = await run(file);
    expect(result).toMatchObject({ status: 'unverified', answer: 'A cat.' });
    expect(requests.map((request) => request.model)).toEqual(['house-model', model]);
    const [planning, seeing] = requests.map(({ body }) => JSON.stringify(body));
    expect(planning).not.toContain('iVBORw0KGgo');
    expect(seeing).toContain('iVBORw0KGgo');
    expect(seeing).toContain('image/png');
    // What an image may cost is reserved by what images cost, not by its bytes.
    const replayed = await runCommand(folder, ['replay', result.runId, '--strict'], env);
    expect(replayed).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('same') as string });
  });
});

describe('a key that a command prints', () => {
  it('is fetched anew when it is refused, and none that it ever printed reaches the log', async () => {
    const [stale, fresh] = ['stale-credential-1', 'fresh-credential-2'];
    writeFileSync(join(folder, 'key.txt'), stale);
    // Servers may say the key again, and so may models.
    answer = ({ headers }) =>
      headers['authorization'] === `Bearer ${fresh}`
        ? {
            reply: {
              text: `{"nodes":[{"id":"${fresh}","tool":"do_nothing","args":{}}],"output":"${fresh}"}`,
            },
          }
        : { status: 401, error: { code: String(headers['authorization']).replace('Bearer ', '') } };
    const file = writeTask('refreshed', {
      tools: ['do_nothing'],
      provider: {
        ...(JSON.parse(COMPATIBLE()) as object),
        credentialCommand: 'cat key.txt; printf %s%s fresh-cred ential-2 > key.txt',
      },
    });
    const { exitCode, result, requests } = await run(file);
    expect(exitCode).toBe(0);
    expect(requests.map(({ headers }) => headers['authorization'])).toEqual([
      `Bearer ${stale}`,
      `Bearer ${fresh}`,
    ]);
    const text = textOf(result.folder);
    expect(text).toContain('[masked]');
    expect(text).not.toContain(stale);
    expect(text).not.toContain(fresh);
  });
});
