import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { FileRunStore } from '../../src/flight/file-store.ts';
import { temporaryFolder } from '../support/flight-events.ts';
import { noteAt, notes } from '../support/flight-notes.ts';

const JITI = join(createRequire(import.meta.url).resolve('jiti/package.json'), '..', 'lib', 'jiti-cli.mjs');
const CHILD = fileURLToPath(new URL('../support/flight-child.ts', import.meta.url));

interface Child {
  readonly process: ChildProcessByStdio<Writable, Readable, null>;
  readonly lines: Interface;
}

function startChild(root: string, ...args: readonly string[]): Child {
  const child = spawn(process.execPath, [JITI, CHILD, root, 'r1', ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  return { process: child, lines: createInterface(child.stdout) };
}

async function kill(child: Child): Promise<void> {
  const exit = once(child.process, 'exit');
  child.process.kill('SIGKILL');
  await exit;
}

describe('a process that is killed while it appends', () => {
  it('leaves every event that it was told is durable, and the run to the next', async () => {
    const root = temporaryFolder();
    const store = new FileRunStore(root);
    await (await store.create('r1')).log.close();
    let reported = -1;
    for (const linesBeforeKill of [2, 20, 50]) {
      const child = startChild(root);
      let count = 0;
      for await (const line of child.lines) {
        if (line !== 'open') reported = Number(line);
        // The lines that were on their way count too.
        if (++count === linesBeforeKill) await kill(child);
      }
      expect(count).toBeGreaterThanOrEqual(linesBeforeKill);
      const events = await store.read('r1');
      expect(events.length).toBeGreaterThan(reported);
      for (const event of events) expect(event).toEqual(noteAt(event.seq, expectedMessage(event.seq)));
    }
    const run = await store.open('r1');
    for (const event of notes(3, run.events.length)) run.log.append(event);
    await run.log.close();
    expect(await store.read('r1')).toHaveLength(run.events.length + 3);
    expect(readdirSync(join(root, 'r1')).includes('lock')).toBe(false);
  });
});

function expectedMessage(seq: number): string {
  return seq % 11 === 0 ? `${seq} `.repeat(6_000) : `note ${seq}`;
}

describe('processes that take one run at once', () => {
  it('leave it to one, after a dead owner too; the others are told which', async () => {
    const root = temporaryFolder();
    const store = new FileRunStore(root);
    await (await store.create('r1')).log.close();
    for (let round = 0; round < 2; round++) {
      const children = [1, 2, 3].map(() => startChild(root, 'hold'));
      const said = await Promise.all(
        children.map(async (child) => ({ child, line: String((await once(child.lines, 'line'))[0]) })),
      );
      const winners = said.filter(({ line }) => line === 'open');
      expect(winners).toHaveLength(1);
      const winner = winners[0]!.child;
      for (const { child, line } of said) {
        if (child !== winner) expect(line).toBe(`locked ${winner.process.pid}`);
      }
      await expect(store.open('r1')).rejects.toMatchObject({
        code: 'run_locked',
        details: { pid: winner.process.pid },
      });
      // The next round finds a dead owner.
      await kill(winner);
    }
    await (await store.open('r1')).log.close();
  });
});
