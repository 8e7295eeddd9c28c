/* The golden logs: where they lie, what is known of each, and how a new one is recorded. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FileRunStore } from '../../src/flight/file-store.ts';
import { sha256 } from '../../src/kernel/hash.ts';
import { RULES_VERSION } from '../../src/run/rules.ts';
import { loadScenarios, runScenario } from './scenario.ts';

/** What is known of a golden log: the scenario that made it, the script that holds that, its rules and its SHA-256. */
export interface Source {
  readonly scenario: string;
  readonly script: string;
  readonly rules: number;
  readonly sha256: string;
}

/** The folder of the golden logs. */
export const GOLDEN = fileURLToPath(new URL('golden', import.meta.url));

const SOURCES = join(GOLDEN, 'sources.json');

/** The golden logs by the name of their file. */
export function readSources(): Readonly<Record<string, Source>> {
  return JSON.parse(readFileSync(SOURCES, 'utf8')) as Record<string, Source>;
}

/** SHA-256 of a golden log. */
export function hashOf(file: string): string {
  return sha256(readFileSync(join(GOLDEN, file), 'utf8'));
}

/** Records a golden log of the present rules for each scenario that has none; one that exists is never rewritten. */
export async function recordMissing(): Promise<void> {
  const sources: Record<string, Source> = { ...readSources() };
  for (const [name, { file: script }] of await loadScenarios()) {
    const file = `${name}-v${RULES_VERSION}.jsonl`;
    if (sources[file] !== undefined) continue;
    if (existsSync(join(GOLDEN, file)))
      throw new Error(`${file} is there, but sources.json does not know it`);
    const folder = await mkdtemp(join(tmpdir(), 'golden-'));
    try {
      const run = await new FileRunStore(folder).create(`golden-${name}`);
      for (const event of await runScenario(name)) run.log.append(event);
      await run.log.close();
      if (existsSync(join(folder, `golden-${name}`, 'blobs'))) throw new Error(`${name} stores large values`);
      await cp(join(folder, `golden-${name}`, 'flight.jsonl'), join(GOLDEN, file));
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
    sources[file] = {
      scenario: name,
      script: `test/replay/${script}`,
      rules: RULES_VERSION,
      sha256: hashOf(file),
    };
    const sorted = Object.fromEntries(Object.entries(sources).sort(([a], [b]) => (a < b ? -1 : 1)));
    writeFileSync(SOURCES, `${JSON.stringify(sorted, null, 2)}\n`);
  }
}
