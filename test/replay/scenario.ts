/* What golden logs are recorded from. */
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { FlightEvent } from '../../src/flight/events.ts';
import { MemoryRunStore } from '../../src/flight/memory-log.ts';
import { orchestrate, type RunOptions } from '../../src/index.ts';

/** Where the run of a scenario is to be kept, and under which id. */
export interface Stage {
  readonly store: MemoryRunStore;
  readonly runId: string;
}

/** What is run: the options of one run, or a script that leaves a run on the stage. */
export type Scenario = (stage: Stage) => RunOptions | Promise<unknown>;

/** The scenarios of one file by name; the log's name is the scenario's. */
export type Scenarios = Readonly<Record<string, Scenario>>;

const HERE = fileURLToPath(new URL('.', import.meta.url));

/** Every scenario of every file `scenarios*.ts` beside this one, and the file that it comes from. */
export async function loadScenarios(): Promise<ReadonlyMap<string, { scenario: Scenario; file: string }>> {
  const found = new Map<string, { scenario: Scenario; file: string }>();
  for (const file of readdirSync(HERE)
    .filter((name) => /^scenarios.*\.ts$/.test(name))
    .sort()) {
    // Whatever a file exports is a table of scenarios.
    const tables = (await import(/* @vite-ignore */ `./${file}`)) as Readonly<Record<string, Scenarios>>;
    for (const [name, scenario] of Object.values(tables).flatMap((table) => Object.entries(table))) {
      const before = found.get(name);
      if (before !== undefined) throw new Error(`${name} is a scenario of ${before.file} and of ${file}`);
      found.set(name, { scenario, file });
    }
  }
  return found;
}

/** The events of the scenario of that name, run now; the workspace is named alike on every machine. */
export async function runScenario(name: string): Promise<FlightEvent[]> {
  const found = (await loadScenarios()).get(name);
  if (found === undefined) throw new Error(`no scenario ${name}`);
  const stage: Stage = { store: new MemoryRunStore(), runId: `golden-${name}` };
  const made = found.scenario(stage);
  await (made instanceof Promise ? made : orchestrate({ ...made, ...stage }));
  const events = await stage.store.read(stage.runId);
  return events.map((event) =>
    event.type === 'run.started' ? { ...event, workspace: '/workspace' } : event,
  );
}

/** Puts a run on the stage whose process died right after the first event that is `last`. */
export async function crashAfter(
  { store, runId }: Stage,
  options: RunOptions,
  isLast: (event: FlightEvent) => boolean,
): Promise<void> {
  const whole = new MemoryRunStore();
  await orchestrate({ ...options, store: whole, runId });
  const events = await whole.read(runId);
  const last = events.findIndex(isLast);
  if (last < 0) throw new Error(`nothing to crash after in ${runId}`);
  const run = await store.create(runId);
  for (const event of events.slice(0, last + 1)) run.log.append(event);
  await run.log.close();
}
