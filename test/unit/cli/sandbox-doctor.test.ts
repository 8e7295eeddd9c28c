import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkProcessHold, checkSandbox } from '../../../src/cli/sandbox-doctor.ts';
import { findProcessHold } from '../../../src/tools/control-groups.ts';
import { findSandbox } from '../../../src/tools/sandbox/find-sandbox.ts';
import { findTaskBound } from '../../../src/tools/sandbox/task-limit.ts';
import { temporaryFolder } from '../../support/flight-events.ts';

/** A folder with a program of that name that behaves as the script says. */
function pathWith(script: string): string {
  const folder = join(temporaryFolder(), 'bin');
  mkdirSync(folder);
  writeFileSync(join(folder, 'bwrap'), `#!/bin/sh\n${script}\n`);
  chmodSync(join(folder, 'bwrap'), 0o755);
  return folder;
}

describe.skipIf(process.platform !== 'linux')('a sandbox', () => {
  it('that is not installed is told of, with what to do', async () => {
    expect(await checkSandbox({ PATH: temporaryFolder() })).toMatchObject({
      level: 'warn',
      what: 'no sandbox for programs: bubblewrap (bwrap) is not installed',
      advice: expect.stringContaining('policy.sandbox') as string,
    });
  });

  it('that cannot make namespaces is told of in its own words', async () => {
    const PATH = pathWith('echo "bwrap: Creating new namespace failed: Operation not permitted" >&2; exit 1');
    expect(await checkSandbox({ PATH })).toMatchObject({
      what: 'no sandbox for programs: bwrap: Creating new namespace failed: Operation not permitted',
    });
  });

  it('that is old is used without what it does not know', async () => {
    const path = pathWith('case "$*" in *--size*) echo "bwrap: Unknown option --size" >&2; exit 1;; esac');
    expect(await findSandbox(path)).toMatchObject({ isUsable: true, isRecent: false });
  });

  it('is tried once in a process', async () => {
    const folder = temporaryFolder();
    const path = pathWith(`echo tried >> ${folder}/tries`);
    const [first, second] = await Promise.all([findSandbox(path), findSandbox(path)]);
    expect(first).toBe(second);
    expect(await findSandbox(path)).toBe(first);
    expect((await checkSandbox({ PATH: path })).what).toContain(`programs run in a sandbox (${path}/bwrap)`);
    expect(readFileSync(join(folder, 'tries'), 'utf8')).toBe('tried\n');
  });

  it('in which nothing bounds the number of processes is told of, with what to do', async () => {
    const PATH = pathWith(':');
    const finding = await checkSandbox({ PATH });
    if ((await findTaskBound()) !== 'none') {
      expect(finding).toEqual({ level: 'ok', what: `programs run in a sandbox (${PATH}/bwrap)` });
    } else {
      expect(finding).toMatchObject({
        level: 'warn',
        what: expect.stringContaining('does not bound') as string,
        advice: expect.stringContaining('do not run as root') as string,
      });
    }
  });
});

it('what holds programs together is told of, or what to do where nothing does', async () => {
  const folder = await findProcessHold();
  expect(await checkProcessHold()).toEqual(
    folder === null
      ? {
          level: 'warn',
          what: expect.stringContaining('may outlive a run') as string,
          advice: expect.stringContaining('systemd-run') as string,
        }
      : { level: 'ok', what: `programs are held in control groups (${folder})` },
  );
});
