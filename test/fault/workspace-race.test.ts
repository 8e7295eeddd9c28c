import { once } from 'node:events';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { OrchestratorError } from '../../src/kernel/errors.ts';
import { replaceWorkspaceFile } from '../../src/tools/workspace/change-workspace-file.ts';
import { readWorkspaceText } from '../../src/tools/workspace/read-workspace-file.ts';
import { createOutsideWorld, type OutsideWorld, SECRET } from '../support/outside-world.ts';

const ATTEMPTS = 1500;

/** Swaps a folder for a link that leads out, and back, as fast as it can, until it is told to stop. */
const SWAPPER = `
const { workerData: { folder, link, spare, stop } } = require('node:worker_threads');
const { renameSync, rmSync } = require('node:fs');
const isStopped = () => Atomics.load(stop, 0) === 1;
const move = (from, to) => {
  while (!isStopped()) {
    try { return renameSync(from, to); } catch {}
    // Whoever writes makes the folder anew where it finds none.
    try { rmSync(to, { recursive: true, force: true }); } catch {}
  }
};
while (!isStopped()) {
  move(folder, spare);
  move(link, folder);
  move(folder, link);
  move(spare, folder);
}
`;

let world: OutsideWorld;
const stop = new Int32Array(new SharedArrayBuffer(4));
let swapper: Worker;

beforeEach(() => {
  world = createOutsideWorld();
  const [folder, link, spare] = ['swap', 'swap-link', 'swap-spare'].map((name) =>
    join(world.workspace, name),
  );
  mkdirSync(folder!);
  writeFileSync(join(folder!, 'secret.txt'), 'inside');
  symlinkSync('../outside', link!);
  Atomics.store(stop, 0, 0);
  swapper = new Worker(SWAPPER, { eval: true, workerData: { folder, link, spare, stop } });
});

afterEach(async () => {
  Atomics.store(stop, 0, 1);
  await once(swapper, 'exit');
  world.remove();
});

it('a folder that is swapped for a link while it is read never leads out', async () => {
  const limits = { workspace: world.workspace, signal: new AbortController().signal, maxBytes: 1000 };
  const seen = new Set<string>();
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    try {
      seen.add(await readWorkspaceText('swap/secret.txt', limits));
    } catch (error) {
      expect(error).toBeInstanceOf(OrchestratorError);
      seen.add((error as OrchestratorError).code);
    }
  }
  expect(seen).toContain('inside');
  expect(seen).not.toContain(SECRET);
});

it('a folder that is swapped for a link while it is written never leads out', async () => {
  const context = { workspace: world.workspace, signal: new AbortController().signal };
  const before = world.snapshot();
  let written = 0;
  for (let attempt = 0; attempt < ATTEMPTS / 3; attempt++) {
    try {
      await replaceWorkspaceFile('swap/secret.txt', context, (handle) => handle.writeFile('written'));
      written++;
    } catch (error) {
      expect(error).toBeInstanceOf(OrchestratorError);
    }
  }
  expect(written).toBeGreaterThan(0);
  expect(world.snapshot()).toBe(before);
});
