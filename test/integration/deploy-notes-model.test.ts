/*
 * The example deploy-notes with a real small model, whose words are noise: what is written is of the README, or nothing
 * is.
 */
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { TaskInput } from '../../src/contracts/task.ts';
import { replay } from '../../src/engine/replay.ts';
import { MemoryRunStore } from '../../src/flight/memory-log.ts';
import { orchestrate } from '../../src/index.ts';
import { only, plan } from '../support/core.ts';
import { type LlmServer, startLlmServer } from '../support/llm-server.ts';

const LONG_MS = 600_000;
const EXAMPLE = join(import.meta.dirname, '../../examples/deploy-notes');

const started = await startLlmServer();
if ('missing' in started) console.warn(`no real model: ${started.missing}`);
const server: LlmServer | null = 'missing' in started ? null : started;
const folder = mkdtempSync(join(tmpdir(), 'sortie-notes-'));
cpSync(EXAMPLE, folder, { recursive: true });
afterAll(() => {
  rmSync(folder, { recursive: true });
  return server?.stop();
});

const readme = readFileSync(join(EXAMPLE, 'service/README.md'), 'utf8').replaceAll(/\s+/g, ' ');

async function run(nodes: string | null) {
  rmSync(join(folder, 'deploy.sh'), { force: true });
  const store = new MemoryRunStore();
  const written = parse(readFileSync(join(EXAMPLE, 'deploy-notes.yaml'), 'utf8')) as TaskInput;
  const task: TaskInput = {
    ...written,
    provider: {
      ...{ name: 'compatible', apiKeyEnv: 'LLM_KEY', model: 'smollm2' },
      ...(server === null ? {} : { baseUrl: server.baseUrl }),
    },
    limits: { modelTimeoutMs: LONG_MS, maxOutputTokens: 400, planRounds: 1, replans: 0, attempts: 1 },
    budget: { llmCalls: 4 },
    memory: { enabled: false },
  };
  const result = await orchestrate({
    ...{ task, workspace: folder, store, runId: 'r1' },
    ...{
      env: { LLM_KEY: server?.apiKey ?? '' },
      approve: () => Promise.resolve({ decision: 'approved', by: 'ann' }),
    },
    ...(nodes === null ? {} : { plan: nodes }),
  });
  return { result, events: await store.read('r1') };
}

describe.skipIf(server === null)('deploy-notes with a real model', () => {
  it(
    'writes commands of the README alone, or nothing, where its plan is given',
    async () => {
      const given = plan(
        { id: 'read', tool: 'read_file', args: { path: 'service/README.md' } },
        { id: 'steps', tool: 'extract_steps', args: { text: { $ref: 'read' } } },
        { id: 'render', tool: 'render_script', args: { steps: { $ref: 'steps', path: '/steps' } } },
        { id: 'save', tool: 'write_file', args: { path: 'deploy.sh', content: { $ref: 'render' } } },
      );
      const { result, events } = await run(JSON.stringify(given));
      expect(only(events, 'model.answered').length).toBeGreaterThan(0);
      const isWritten = existsSync(join(folder, 'deploy.sh'));
      expect(isWritten).toBe(result.status === 'verified');
      const script = isWritten ? readFileSync(join(folder, 'deploy.sh'), 'utf8') : '';
      const commands = script
        .split('\n')
        .filter((line) => line !== '' && !line.startsWith('#') && line !== 'set -eu');
      for (const command of commands) expect(readme).toContain(command.replaceAll(/\s+/g, ' '));
      expect(replay(events)).toMatchObject({ divergence: null });
    },
    LONG_MS,
  );

  it(
    'comes to an honest end where it draws the plan itself',
    async () => {
      const { result, events } = await run(null);
      expect(['verified', 'failed', 'failed_verification', 'budget']).toContain(result.status);
      expect(only(events, 'run.finished')).toHaveLength(1);
      for (const { node, tool } of only(events, 'approval.requested'))
        expect([node, tool]).not.toContain('read_file');
      expect(replay(events)).toMatchObject({ divergence: null });
    },
    LONG_MS,
  );
});
