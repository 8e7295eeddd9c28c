/*
 * Golden logs: what released rules recorded must replay without a divergence for as long as these rules are supported.
 * RECORD_GOLDEN=1 records those that do not exist yet; one that exists is never rewritten.
 */
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FileRunStore } from '../../src/flight/file-store.ts';
import { replayRun } from '../../src/index.ts';
import { RULES_VERSION } from '../../src/run/rules.ts';
import { runScenario, scenarios } from './scenarios.ts';

const GOLDEN = 'test/replay/golden';

function goldenPath(name: string): string {
  return join(GOLDEN, `${name}-v${RULES_VERSION}.jsonl`);
}

async function record(name: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'golden-'));
  try {
    const run = await new FileRunStore(folder).create(`golden-${name}`);
    for (const event of await runScenario(name)) run.log.append(event);
    await run.log.close();
    await mkdir(GOLDEN, { recursive: true });
    await cp(join(folder, `golden-${name}`, 'flight.jsonl'), goldenPath(name));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

describe.each(Object.keys(scenarios))('golden log %s', (name) => {
  it('replays without a divergence, a warning, a call or a changed byte', async () => {
    if (process.env['RECORD_GOLDEN'] === '1' && !existsSync(goldenPath(name))) await record(name);
    const before = await readFile(goldenPath(name));
    const report = await replayRun(goldenPath(name), { strict: true });
    expect(report).toMatchObject({ isComplete: true, warnings: [], divergence: null });
    expect(report.events).toBeGreaterThan(5);
    expect((await readFile(goldenPath(name))).equals(before)).toBe(true);
  });

  it('is refused when a line was edited', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tampered-'));
    try {
      const text = await readFile(goldenPath(name), 'utf8');
      const tampered = text.replace('"run.finished","status":"', '"run.finished","status":"un');
      const lines = text.split('\n');
      const edited =
        tampered === text ? [lines[0], lines[2], lines[1], ...lines.slice(3)].join('\n') : tampered;
      const path = join(folder, 'flight.jsonl');
      await writeFile(path, edited.replace(/"type":"plan.accepted"/, '"type":"plan.accepted" '));
      await expect(replayRun(path)).rejects.toMatchObject({ code: 'log_corrupt' });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
