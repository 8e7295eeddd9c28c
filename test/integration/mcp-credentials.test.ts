/* What a server that prints its own key may tell of it: nothing, wherever its words end up. */
import { describe, expect, it } from 'vitest';
import { MemoryRunStore } from '../../src/flight/memory-log.ts';
import { orchestrate, prepare, type TaskValue } from '../../src/index.ts';
import { byRole } from '../support/composed.ts';
import { plan } from '../support/core.ts';
import { temporaryFolder } from '../support/flight-events.ts';
import { hostile } from '../support/mcp-servers.ts';

const KEY = 'zq81-not-of-any-pattern';
/** What the server is given, and what it prints of that. */
const PRINTED: readonly [string, string][] = [
  [KEY, KEY],
  ['a "quoted" \\ key', 'a "quoted" \\ key'],
  [`Bearer ${KEY}`, KEY],
  // So long that its end is cut off a message.
  [`${KEY}-${'x'.repeat(500)}`, `${KEY}-${'x'.repeat(500)}`],
];

function taskOf(isOptional: boolean): TaskValue {
  return {
    name: 'leaky',
    goal: 'Go.',
    tools: ['do_nothing'],
    verify: { judge: 'off' },
    limits: { replans: 0, attempts: 1 },
    mcp: { evil: hostile('leaks', 'PRINTED', { optional: isOptional, passEnv: ['TOKEN', 'PRINTED'] }) },
  };
}

const idle = byRole({
  planner: JSON.stringify(plan({ id: 'a', tool: 'do_nothing', args: { reason: 'nothing to do' } })),
});

describe.each(PRINTED)('of %s', (token, printed) => {
  const parts = [printed.slice(0, 8), JSON.stringify(printed).slice(1, 9)];
  const env = { ...process.env, TOKEN: token, PRINTED: printed };
  const hide = (text: string): void => {
    expect(text).toContain('[masked]');
    for (const part of parts) expect(text).not.toContain(part);
  };

  it('the warnings of a run hold nothing', async () => {
    const store = new MemoryRunStore();
    const { provider } = idle;
    const result = await orchestrate({
      ...{ task: taskOf(true), provider, store, runId: 'r1', env },
      workspace: temporaryFolder(),
    });
    expect(result.warnings?.[0]).toMatch(/^MCP server evil: it ended with exit code 4/);
    hide(JSON.stringify(result));
    hide(JSON.stringify(await store.read('r1')));
  });

  it('the error of a run that cannot begin holds nothing', async () => {
    const options = { task: taskOf(false), provider: idle.provider, env, workspace: temporaryFolder() };
    const error = await orchestrate({ ...options, store: new MemoryRunStore() }).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({ code: 'mcp_unavailable' });
    hide((error as Error).message);
  });

  it('a check of the servers holds nothing', async () => {
    const options = { task: taskOf(false), provider: idle.provider, env, workspace: temporaryFolder() };
    const { live } = await prepare(options);
    const servers = await live?.check({ store: new MemoryRunStore() }, false);
    await live?.close();
    expect(servers).toMatchObject([{ server: 'evil', state: 'unavailable' }]);
    hide(JSON.stringify(servers));
  });
});

it('credentials that a caller names are masked before the run begins too', async () => {
  const env = { ...process.env, PRINTED: KEY };
  const task = { ...taskOf(false), mcp: { evil: hostile('leaks', 'PRINTED', { env: { PRINTED: KEY } }) } };
  const options = { task, provider: idle.provider, env, workspace: temporaryFolder(), secrets: [KEY] };
  const running = orchestrate({ ...options, store: new MemoryRunStore() });
  await expect(running).rejects.toThrow(/cannot log in with \[masked\]/);
});
