import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { HookedCall, Hooks } from '../../../src/contracts/hooks.ts';
import { findBroken } from '../../../src/compose/verify-log.ts';
import { buildSpans } from '../../../src/tracer/spans.ts';
import { MemoryRunStore } from '../../../src/flight/memory-log.ts';
import { orchestrate, replayRun, type RunOptions, ToolError } from '../../../src/index.ts';
import type { Json, JsonObject } from '../../../src/kernel/json.ts';
import { sendTool } from '../../support/composed.ts';
import { echoTool, node, only, plan } from '../../support/core.ts';
import { temporaryFolder } from '../../support/flight-events.ts';

const TASK = { name: 'hooked', goal: 'Go.', verify: { judge: 'off' }, limits: { backoffMs: 1 } } as const;

async function run(nodes: Json[], options: Partial<RunOptions> & { hooks?: Hooks }) {
  const store = new MemoryRunStore();
  const given = { task: TASK, plan: JSON.stringify(plan(...nodes)), store, runId: 'r', workspace: '/' };
  const provider = { name: 'none', complete: () => Promise.reject(new Error('nobody answers')) };
  const result = await orchestrate({ tools: [echoTool()], provider, ...given, ...options });
  const events = await store.read('r');
  expect((await replayRun('r', { store, strict: true })).divergence).toBeNull();
  expect(findBroken(events)).toBeNull();
  expect(buildSpans(events, { captureContent: true })).not.toEqual([]);
  return { result, events };
}

describe('preToolCall', () => {
  it('is asked once about every call, with what it is', async () => {
    const asked: HookedCall[] = [];
    const hooks: Hooks = {
      preToolCall: (call) => {
        asked.push(call);
        return undefined;
      },
    };
    await run([node('a', { args: { value: 1 } }), node('b', { args: { value: { $ref: 'a' } } })], { hooks });
    expect(asked.map(({ runId, node: id, key, tool, args }) => [runId, id, key, tool.name, args])).toEqual([
      ['r', 'a', 'a/1', 'echo', { value: 1 }],
      ['r', 'b', 'b/1', 'echo', { value: 1 }],
    ]);
  });

  it('is not asked again about attempts that follow', async () => {
    let asked = 0;
    let attempts = 0;
    const busy = echoTool('busy', {
      run: () => {
        if (++attempts < 3) throw new ToolError('TRANSIENT', 'busy');
        return 'done';
      },
    });
    const hooks: Hooks = {
      preToolCall: () => {
        asked++;
        return undefined;
      },
    };
    const { result } = await run([node('a', { tool: 'busy' })], { hooks, tools: [busy] });
    expect([result.answer, asked, attempts]).toEqual(['done', 1, 3]);
  });

  it('changes arguments once, as an amendment that the log holds', async () => {
    let asked = 0;
    const hooks: Hooks = {
      preToolCall: ({ args }) => {
        asked++;
        return { args: { value: `${JSON.stringify(args['value']).slice(1, -1)}!` } };
      },
    };
    const { result, events } = await run([node('a', { args: { value: 'x' } })], { hooks });
    expect([result.answer, asked]).toEqual(['x!', 1]);
    expect(only(events, 'node.amended')).toMatchObject([{ node: 'a', by: 'hook', args: { value: 'x!' } }]);
  });

  it('blocks a call, which no policy error is planned around', async () => {
    const calls: Json[] = [];
    const tool = echoTool('echo', { run: (args) => void calls.push(args) });
    const hooks: Hooks = { preToolCall: () => Promise.resolve({ block: 'not today' }) };
    const { result, events } = await run([node('a')], { hooks, tools: [tool] });
    expect(calls).toEqual([]);
    expect(result.failure).toMatchObject({ code: 'policy_denied' });
    expect(only(events, 'node.refused')).toMatchObject([{ by: 'policy', reason: 'preToolCall: not today' }]);
  });

  it('is asked again where it had not answered: no time limit leads past it', async () => {
    const calls: Json[] = [];
    let asked = 0;
    const slow = echoTool('slow', { timeoutMs: 20, run: (args) => void calls.push(args) });
    const hooks: Hooks = {
      preToolCall: async () => {
        if (++asked === 1) await new Promise((resolve) => setTimeout(resolve, 60));
        return { block: 'not today' };
      },
    };
    const { events } = await run([node('a', { tool: 'slow' })], { hooks, tools: [slow] });
    expect([calls, asked]).toEqual([[], 2]);
    expect(only(events, 'attempt.failed')).toMatchObject([
      { failure: { code: 'timeout' } },
      { failure: { code: 'policy_denied' } },
    ]);
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('broken');
      },
    ],
    ['rejects', () => Promise.reject(new Error('broken'))],
    ['answers in another form', () => 'yes'],
    ['gives arguments that the tool does not take', () => ({ args: { other: 1 } })],
  ])('blocks a call where it %s', async (_what, preToolCall) => {
    const { events } = await run([node('a')], { hooks: { preToolCall } as unknown as Hooks });
    expect(only(events, 'node.refused')).toMatchObject([{ by: 'policy' }]);
    expect(only(events, 'node.done')).toEqual([]);
  });

  it('voids a consent: what it makes of an irreversible call is asked about again', async () => {
    const sent: Json[] = [];
    const asked: Json[] = [];
    const { result } = await run([node('a', { tool: 'send', args: { to: 'me' } })], {
      tools: [sendTool(sent)],
      hooks: { preToolCall: () => ({ args: { to: 'you' } }) },
      approve: ({ args }) => {
        asked.push(args);
        return Promise.resolve({ decision: asked.length === 1 ? 'approved' : 'denied', by: 'me' });
      },
    });
    expect(asked).toEqual([{ to: 'me' }, { to: 'you' }]);
    expect([sent, result.status]).toEqual([[], 'failed']);
  });

  it('leads nowhere that policy does not: what it changes is looked at like the plan', async () => {
    const fetch = echoTool('fetch', {
      input: { type: 'object', properties: { url: { type: 'string' } } },
      argumentKinds: { url: 'url' },
    });
    const { events } = await run([node('a', { tool: 'fetch', args: { url: 'https://a.example' } })], {
      task: { ...TASK, policy: { hosts: { allow: ['a.example'] } } },
      tools: [fetch],
      hooks: { preToolCall: () => ({ args: { url: 'https://b.example' } }) },
    });
    expect(only(events, 'node.refused')).toMatchObject([{ node: 'a', by: 'policy' }]);
    expect(only(events, 'node.done')).toEqual([]);
  });
});

describe('postToolCall', () => {
  it('sees how each attempt ended, and may put a value in the place of a result', async () => {
    const seen: JsonObject[] = [];
    let attempts = 0;
    const busy = echoTool('busy', {
      run: () => {
        if (++attempts === 1) throw new ToolError('TRANSIENT', 'busy');
        return 'secret';
      },
    });
    const hooks: Hooks = {
      postToolCall: (_call, outcome) => {
        seen.push(outcome as unknown as JsonObject);
        return outcome.ok ? { value: 'hidden' } : undefined;
      },
    };
    const { result, events } = await run([node('a', { tool: 'busy' })], { hooks, tools: [busy] });
    expect(seen).toMatchObject([
      { ok: false, failure: { class: 'TRANSIENT' } },
      { ok: true, value: 'secret' },
    ]);
    expect(result.answer).toBe('hidden');
    expect(JSON.stringify(events)).not.toContain('secret');
  });

  it('changes nothing where it throws, and the log says so', async () => {
    const hooks: Hooks = {
      postToolCall: () => {
        throw new Error('broken');
      },
    };
    const { result, events } = await run([node('a', { args: { value: 'x' } })], { hooks });
    expect(result.answer).toBe('x');
    expect(only(events, 'tool.logged')).toMatchObject([{ message: 'postToolCall threw: broken' }]);
  });
});

describe('the hooks of a task', () => {
  const file = (text: string): string => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'hooks.ts'), text);
    return folder;
  };

  it('are the exports of its module', async () => {
    const workspace = file(`export const preToolCall = ({ args }) => ({ args: { value: args.value + 1 } });`);
    const task = { ...TASK, hooks: './hooks.ts' };
    const { result } = await run([node('a', { args: { value: 1 } })], { task, workspace });
    expect(result.answer).toBe(2);
  });

  it('come before those of the program', async () => {
    const workspace = file(
      `export const preToolCall = ({ args }) => ({ args: { value: args.value + 'a' } });`,
    );
    const hooks: Hooks = {
      preToolCall: ({ args }) => ({ args: { value: `${JSON.stringify(args['value']).slice(1, -1)}b` } }),
    };
    const task = { ...TASK, hooks: './hooks.ts' };
    const { result, events } = await run([node('a', { args: { value: '' } })], { task, workspace, hooks });
    expect(result.answer).toBe('ab');
    expect(only(events, 'node.amended')).toHaveLength(1);
  });

  it.each([
    ['export const other = 1;', 'exports neither preToolCall nor postToolCall'],
    ['export const preToolCall = 1;', 'exports preToolCall, which is no function'],
  ])('are refused where the module is %s', async (text, message) => {
    const task = { ...TASK, hooks: './hooks.ts' };
    await expect(run([node('a')], { task, workspace: file(text) })).rejects.toThrow(message);
  });
});
