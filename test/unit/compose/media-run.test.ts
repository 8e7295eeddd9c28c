import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { ModelRequest } from '../../../src/contracts/model.ts';
import type { Provider } from '../../../src/contracts/ports.ts';
import { MemoryRunStore } from '../../../src/flight/memory-log.ts';
import { orchestrate, replayRun, type TaskValue } from '../../../src/index.ts';
import type { Json } from '../../../src/kernel/json.ts';
import { answer, plan } from '../../support/core.ts';

const PNG = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.alloc(40_000, 7)]);

let workspace = '';

beforeEach(() => {
  workspace = realpathSync(mkdtempSync(join(tmpdir(), 'sortie-media-')));
});

afterEach(() => rmSync(workspace, { recursive: true, force: true }));

async function run(nodes: readonly Json[], task: Partial<TaskValue> = {}, made = PNG) {
  const asked: ModelRequest[] = [];
  const provider: Provider = {
    name: 'studio',
    complete: (request) => {
      asked.push(request);
      const text =
        request.media === undefined
          ? JSON.stringify(plan(...nodes))
          : request.media.kind === 'image'
            ? made.toString('base64')
            : 'Guten Tag';
      return Promise.resolve(answer(text));
    },
  };
  const store = new MemoryRunStore();
  const value: TaskValue = {
    ...{ name: 'media', goal: 'Make it.', tools: ['generate_image', 'transcribe_audio'] },
    ...{ verify: { judge: 'off' }, limits: { replans: 0 } },
    models: { painter: 'gpt-image-1', transcriber: 'whisper', economy: 'small' },
    ...task,
  };
  const result = await orchestrate({ task: value, provider, store, workspace, runId: 'r1' });
  return { result, asked, store, events: await store.read('r1') };
}

const paint = (more: object = {}): Json => ({
  id: 'tree',
  tool: 'generate_image',
  args: { prompt: 'a tree', path: 'out/tree.png', ...more },
});

it('an image is reserved for, made once, logged, and written into the workspace', async () => {
  const { result, asked, events, store } = await run([paint({ quality: 'high' })]);
  expect(result.status).toBe('unverified');
  expect(result.answer).toEqual({ path: 'out/tree.png', bytes: PNG.length, mediaType: 'image/png' });
  expect(readFileSync(join(workspace, 'out/tree.png')).equals(PNG)).toBe(true);
  expect(asked.at(-1)).toMatchObject({
    role: 'painter',
    model: 'gpt-image-1',
    media: { kind: 'image', quality: 'high', mediaType: 'image/png' },
    // More than limits.maxOutputTokens: an image cannot be cut.
    maxOutputTokens: 6300,
  });
  const requested = events.filter((event) => event.type === 'model.requested').at(-1);
  expect(requested?.reserved.tokens).toBeGreaterThanOrEqual(6300);
  await expect(replayRun('r1', { store, strict: true })).resolves.toMatchObject({ divergence: null });
});

it('an image that does not fit the budget is not asked for', async () => {
  const { result, asked } = await run([paint({ quality: 'high' })], { budget: { tokens: 6000 } });
  expect(result.status).toBe('budget');
  expect(asked.some(({ media }) => media !== undefined)).toBe(false);
});

it('the economy model does not stand in for one that makes images', async () => {
  // The plan alone brings the run past economyAt.
  const { asked } = await run([paint({ quality: 'low' })], { budget: { llmCalls: 4, economyAt: 0.1 } });
  expect(asked.at(-1)).toMatchObject({ model: 'gpt-image-1', media: { kind: 'image' } });
});

it('what is no image is not written', async () => {
  const { result } = await run([paint()], {}, Buffer.from('sorry'));
  expect(result.status).toBe('failed');
});

it('a recording is read from the workspace and its tokens are reserved', async () => {
  writeFileSync(join(workspace, 'talk.mp3'), Buffer.alloc(48_000, 1));
  const { result, asked, events } = await run([
    { id: 'talk', tool: 'transcribe_audio', args: { path: 'talk.mp3', language: 'de', hint: 'Müller' } },
  ]);
  expect(result.answer).toEqual({ text: 'Guten Tag' });
  expect(asked.at(-1)).toMatchObject({
    role: 'transcriber',
    model: 'whisper',
    media: { kind: 'transcript', mediaType: 'audio/mp3', language: 'de' },
  });
  const requested = events.filter((event) => event.type === 'model.requested').at(-1);
  // 64 000 characters of base64 at 160 a token, and the output.
  expect(requested?.reserved.tokens).toBeGreaterThanOrEqual(400 + 4096);
});

it.each([
  ['talk.txt', 'the name of an audio file ends in'],
  ['empty.wav', 'is empty'],
  ['../talk.mp3', 'outside the workspace'],
])('%s is not transcribed', async (path, reason) => {
  writeFileSync(join(workspace, 'empty.wav'), '');
  writeFileSync(join(workspace, 'talk.txt'), 'text');
  const { result, asked } = await run([{ id: 'talk', tool: 'transcribe_audio', args: { path } }]);
  expect(result.status).not.toBe('unverified');
  expect(JSON.stringify(result)).toContain(reason);
  expect(asked.some(({ media }) => media !== undefined)).toBe(false);
});
