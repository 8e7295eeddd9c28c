import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ChildGroup } from '../../../src/contracts/process.ts';
import { deniedNames } from '../../../src/contracts/policy/denied-names.ts';
import { ProcessGroups } from '../../../src/tools/processes.ts';
import { familyOf } from '../../../src/tools/sandbox/family-usage.ts';
import { startAlone, WAIT_AT_FIRST } from '../../../src/tools/sandbox/stand-still.ts';
import { temporaryFolder } from '../../support/flight-events.ts';

const BUSY = 'while :; do :; done & while :; do :; done';

describe.skipIf(process.platform !== 'linux')('programs that start alone', () => {
  let groups: ProcessGroups;
  let cwd: string;

  beforeEach(() => {
    groups = new ProcessGroups();
    cwd = temporaryFolder();
  });

  afterEach(() => groups.close());

  /** As in the sandbox, where another process stands around the program. */
  const start = async (script: string): Promise<{ group: ChildGroup }> => ({
    group: await groups.spawn({ command: 'sh', args: ['-c', `(${script}); :`], cwd }),
  });
  const waiting = (script: string) => `sh -c '${WAIT_AT_FIRST}${script}'`;
  const states = ({ group }: { group: ChildGroup }): string =>
    familyOf(group.pid)
      .map(({ pid }) => readFileSync(`/proc/${pid}/stat`, 'latin1').replace(/^.*\) (.).*$/s, '$1'))
      .join('');

  it('have the others stand still meanwhile, and go on afterwards', async () => {
    const denied = deniedNames(['x']);
    const first = await startAlone(denied, () => start(waiting(BUSY)));
    await delay(50);
    let seen = '';
    const second = await startAlone(denied, async () => {
      await delay(50);
      seen = states(first);
      return start(waiting('echo done'));
    });
    expect(seen).toMatch(/^T{3,}$/);
    await second.group.ended;
    expect(states(first)).toContain('R');
  });

  it('begin one after another, and wait for nobody who is kept from other names', async () => {
    const denied = deniedNames(['x']);
    let starting = 0;
    let most = 0;
    const each = () =>
      startAlone(denied, async () => {
        most = Math.max(most, ++starting);
        const started = await start(waiting('echo done'));
        starting--;
        return started;
      });
    await Promise.all([each(), each(), each()]);
    expect(most).toBe(1);
    const other = await startAlone(deniedNames(['x']), () => start(waiting(BUSY)));
    await startAlone(denied, () => {
      expect(states(other)).not.toContain('T');
      return start(waiting(':'));
    });
  });

  it('do not begin where another goes on for a moment', async () => {
    const denied = deniedNames(['x']);
    const first = await startAlone(denied, () => start(waiting(BUSY)));
    const begun: ChildGroup[] = [];
    const result = startAlone(denied, async () => {
      for (const signal of ['SIGCONT', 'SIGSTOP'] as const) {
        for (const { pid } of familyOf(first.group.pid)) process.kill(pid, signal);
        await delay(20);
      }
      const started = await start(waiting('echo begun'));
      begun.push(started.group);
      return started;
    });
    await expect(result).rejects.toMatchObject({
      retry: 'TRANSIENT',
      message: expect.stringContaining('did not stand still') as string,
    });
    for (const { ended, stdout } of begun) {
      await ended;
      expect(stdout.read()).toBeNull();
    }
    expect(states(first)).toContain('R');
  });

  it('are given back where they end before they have begun, and hold up nobody where they cannot start', async () => {
    const denied = deniedNames(['x']);
    const { group } = await startAlone(denied, () => start('exit 1'));
    await group.ended;
    const failing = startAlone(denied, () => Promise.reject(new Error('no such program')));
    await expect(failing).rejects.toThrow('no such program');
    await (
      await startAlone(denied, () => start(waiting(':')))
    ).group.ended;
  });
});
