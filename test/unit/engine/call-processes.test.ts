import { describe, expect, it } from 'vitest';
import type { ChildGroup, ProcessRequest } from '../../../src/contracts/process.ts';
import type { ToolContext } from '../../../src/contracts/tool.ts';
import { echoTool, node, only, plan, task, types } from '../../support/core.ts';
import { engineRun } from '../../support/engine-run.ts';

/** A program whose end is in the hands of the test, and how often and with which grace it was stopped. */
function heldGroup(): { group: ChildGroup; graces: number[]; end: () => void } {
  let end: () => void = () => undefined;
  const ended = new Promise<{ code: number; signal: null }>((resolve) => {
    end = () => resolve({ code: 0, signal: null });
  });
  const graces: number[] = [];
  const stop = async (graceMs = 0): Promise<void> => {
    graces.push(graceMs);
    await ended;
  };
  const nothing = undefined as unknown as NodeJS.ReadableStream;
  const group = {
    pid: 1,
    command: 'x',
    args: [],
    stdin: null,
    stdout: nothing,
    stderr: nothing,
    ended,
    stop,
  };
  return { group, graces, end };
}

function runOf(
  run: (context: ToolContext) => unknown,
  spawn?: (request: ProcessRequest) => Promise<ChildGroup>,
) {
  return engineRun({
    tools: [echoTool('start', { run: (_args, context) => run(context) })],
    task: task({ limits: { attempts: 1, replans: 0, graceMs: 400 } }),
    plan: plan(node('a', { tool: 'start' })),
    ports: spawn === undefined ? {} : { spawn },
  });
}

describe('a program that a tool starts', () => {
  it('starts in the workspace unless it says otherwise', async () => {
    const requests: ProcessRequest[] = [];
    const { driver } = runOf(
      async ({ spawn }) => {
        await spawn({ command: 'x', lifetime: 'run' });
        await spawn({ command: 'x', cwd: '/else', lifetime: 'run' });
        return null;
      },
      (request) => {
        requests.push(request);
        return Promise.resolve(heldGroup().group);
      },
    );
    await driver.run();
    expect(requests.map(({ cwd }) => cwd)).toEqual(['/', '/else']);
  });

  it('is gone before its node is done', async () => {
    const held = heldGroup();
    const { driver, events } = runOf(
      async ({ spawn }) => {
        await spawn({ command: 'x' });
        return 'returned';
      },
      () => Promise.resolve(held.group),
    );
    const ended = driver.run();
    await expect.poll(() => held.graces).toEqual([200]);
    expect(types(events)).not.toContain('node.done');
    held.end();
    await ended;
    expect(only(events, 'node.done')).toMatchObject([{ value: 'returned' }]);
  });

  it('is stopped when the run is cancelled, and gone before the run is interrupted', async () => {
    const held = heldGroup();
    const { driver, events } = runOf(
      async ({ spawn }) => (await spawn({ command: 'x' })).ended,
      () => Promise.resolve(held.group),
    );
    const ended = driver.run();
    await expect.poll(() => types(events)).toContain('node.started');
    driver.cancel('enough');
    await expect.poll(() => held.graces[0]).toBe(200);
    expect(types(events)).not.toContain('run.interrupted');
    held.end();
    expect((await ended).isInterrupted).toBe(true);
  });

  it('does not outlive a call that was aborted while it started', async () => {
    const held = heldGroup();
    let arrive: (group: ChildGroup) => void = () => undefined;
    const failures: unknown[] = [];
    const { driver, events } = runOf(
      ({ spawn }) => spawn({ command: 'x' }).catch((error: unknown) => failures.push(error)),
      () => new Promise((resolve) => (arrive = resolve)),
    );
    const ended = driver.run();
    await expect.poll(() => types(events)).toContain('node.started');
    driver.cancel('enough');
    held.end();
    arrive(held.group);
    await ended;
    expect(held.graces).toContain(0);
    expect(failures).toMatchObject([{ code: 'aborted' }]);
  });

  it('is refused where nothing can start it, and once the call is over', async () => {
    const { driver, events } = runOf(({ spawn }) => spawn({ command: 'x' }));
    await driver.run();
    expect(only(events, 'node.failed')).toMatchObject([
      { failure: { code: 'tool_failed', message: 'no program can be started in this process' } },
    ]);
    let late: ToolContext['spawn'] | null = null;
    const over = runOf(
      ({ spawn }) => {
        late = spawn;
        return null;
      },
      () => Promise.resolve(heldGroup().group),
    );
    await over.driver.run();
    await expect(late!({ command: 'x' })).rejects.toMatchObject({ code: 'aborted' });
  });
});
