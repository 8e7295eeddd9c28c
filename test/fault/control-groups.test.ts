/* What is in a control group ends with it, in each kind of hierarchy that lets this process make one. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { ControlGroup, findUsableFolder, readGroups, TASK_OWNER } from '../../src/tools/control-groups.ts';
import { ProcessWatcher } from '../../src/tools/process-watcher.ts';
import { ownGroupFolders } from '../../src/tools/sandbox/task-group-folders.ts';
import { expectGone, familyOf, familyScript, isAlive } from '../support/family.ts';
import { temporaryFolder } from '../support/flight-events.ts';

const make = (folder: string): Promise<ControlGroup> => ControlGroup.make(folder, randomUUID());
const candidates = ownGroupFolders(...readGroups());
const usable = await Promise.all(candidates.map((folder) => findUsableFolder([folder], make)));
const FOLDERS = usable.filter((folder) => folder !== null);
if (FOLDERS.length === 0) console.warn('no control group can be made here');

const groups: ControlGroup[] = [];

afterEach(async () => {
  await Promise.all(groups.splice(0).map((group) => group.remove()));
});

async function open(folder: string, owner: string = randomUUID()): Promise<ControlGroup> {
  const group = await ControlGroup.make(folder, owner);
  groups.push(group);
  return group;
}

function startIn(group: ControlGroup, script: string): ChildProcess {
  const { program, args } = group.enter({ program: 'sh', args: ['-c', script] });
  return spawn(program, args, { stdio: 'ignore', detached: true });
}

describe.each(FOLDERS)('a control group in %s', (folder) => {
  it('knows its members, whatever they have left, and kills them', async () => {
    const group = await open(folder);
    const place = temporaryFolder();
    startIn(group, familyScript(place, { isBare: true, isDeaf: true }));
    const family = await familyOf(place);
    expect([...(await group.members())]).toEqual(expect.arrayContaining(family));
    expect(await group.members()).not.toContain(process.pid);
    await group.kill();
    await expectGone(family);
    await group.remove();
    expect(existsSync(group.folder)).toBe(false);
  });

  it('is removed with whatever is in it, and in the groups that are made in it', async () => {
    const group = await open(folder);
    const place = temporaryFolder();
    startIn(group, familyScript(place, { isBare: true, isDeaf: true }));
    const family = await familyOf(place);
    const inner = join(group.folder, 'inner', 'most');
    mkdirSync(inner, { recursive: true });
    writeFileSync(join(inner, 'cgroup.procs'), String(family[2]));
    expect([...(await group.members())]).toEqual(expect.arrayContaining(family));
    await group.remove();
    expect(family.filter(isAlive)).toEqual([]);
    expect(existsSync(group.folder)).toBe(false);
  });

  it('of a bounded program outlives a watcher that is closed while this process goes on', async () => {
    const place = temporaryFolder();
    startIn(await open(folder, TASK_OWNER), familyScript(place));
    const bystanders = await familyOf(place);
    const watcher = new ProcessWatcher(randomUUID());
    const watched = spawn('sleep', ['300'], { stdio: 'ignore', detached: true });
    const ended = new Promise((resolve) => watched.once('exit', (_, signal) => resolve(signal)));
    await watcher.add(Number(watched.pid));
    watcher.close();
    expect(await ended).toBe('SIGKILL');
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(bystanders.every(isAlive)).toBe(true);
  });
});

it.skipIf(FOLDERS.length === 0)('cannot be made where none is, or entered where it is gone', async () => {
  await expect(ControlGroup.make(temporaryFolder() + '/gone', 'x')).rejects.toThrow();
  const group = await open(FOLDERS[0] ?? '');
  await group.remove();
  await expect(group.add(process.pid)).rejects.toThrow();
  expect(await group.members()).toEqual(new Set());
  expect(existsSync(dirname(group.folder))).toBe(true);
});
