/*
 * Golden logs: what released rules recorded must replay without a divergence for as long as these rules are supported.
 * RECORD_GOLDEN=1 records those that do not exist yet; one that exists is never rewritten.
 */
import { existsSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { type EventType, eventSchemas } from '../../src/flight/events.ts';
import { readFlightFile } from '../../src/flight/file-store.ts';
import { replayRun, verifyLog } from '../../src/index.ts';
import { RULE_SETS } from '../../src/run/rule-sets.ts';
import { RULES_VERSION } from '../../src/run/rules.ts';
import { GOLDEN, hashOf, readSources, recordMissing } from './golden-logs.ts';
import { loadScenarios } from './scenario.ts';

if (process.env['RECORD_GOLDEN'] === '1') await recordMissing();

const sources = readSources();
const scenarios = await loadScenarios();
const files = Object.keys(sources);

describe.each(files)('golden log %s', (file) => {
  const source = sources[file]!;

  it('is the one that was recorded, by a script that is there', () => {
    expect(hashOf(file)).toBe(source.sha256);
    expect(file).toBe(`${source.scenario}-v${source.rules}.jsonl`);
    expect(existsSync(source.script)).toBe(true);
    if (source.rules === RULES_VERSION)
      expect(`test/replay/${scenarios.get(source.scenario)?.file ?? ''}`).toBe(source.script);
  });

  it('replays without a divergence, a warning, a call or a changed byte', async () => {
    const path = join(GOLDEN, file);
    const before = await readFile(path);
    const report = await replayRun(path, { strict: true });
    expect(report).toMatchObject({ isComplete: true, divergence: null });
    expect(report.warnings).toEqual(RULE_SETS.has(source.rules) ? [] : [expect.stringContaining('rules')]);
    expect((await verifyLog(path)).fault).toBeNull();
    expect((await readFile(path)).equals(before)).toBe(true);
  });
});

describe('the golden logs', () => {
  const seen = new Set<EventType>();

  beforeAll(async () => {
    for (const file of files) for (const { type } of await readFlightFile(join(GOLDEN, file))) seen.add(type);
  });

  it('hold every type of event', () => {
    expect(Object.keys(eventSchemas).filter((type) => !seen.has(type as EventType))).toEqual([]);
  });

  it('are those that lie in their folder, one for each scenario under the present rules, and twenty or more', () => {
    expect(
      readdirSync(GOLDEN)
        .filter((name) => name !== 'sources.json')
        .sort(),
    ).toEqual([...files].sort());
    for (const name of scenarios.keys()) expect(files).toContain(`${name}-v${RULES_VERSION}.jsonl`);
    expect(files.length).toBeGreaterThanOrEqual(20);
  });
});
