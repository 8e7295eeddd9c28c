import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { jsonValue } from '../contracts/json-value.ts';
import type { RunStore } from '../contracts/ports.ts';
import { type FlightEvent, parseEvent } from '../flight/events.ts';
import { OrchestratorError } from '../kernel/errors.ts';
import type { Json } from '../kernel/json.ts';
import { redactSecrets } from '../kernel/redact-secrets.ts';
import { foldEvents } from '../run/evolve.ts';
import { foldRecorded } from './resume-preview.ts';
import { readRecorded } from './stores.ts';
import { findBroken } from './verify-log.ts';

const FORMAT = 'sortie-run';
const VERSION = 1;

const exportedSchema = z.strictObject({
  format: z.literal(FORMAT),
  version: z.literal(VERSION),
  runId: z.string(),
  note: z.string(),
  redacted: z.int().nonnegative(),
  events: z.array(jsonValue),
});

/** A run as one JSON value. */
export type ExportedRun = Omit<z.infer<typeof exportedSchema>, 'events'> & {
  readonly events: readonly Json[];
};

/**
 * A run, or a log file, as one JSON value in which nothing looks like a credential any more. It has no chain: a changed
 * text would not fit the recorded one.
 */
export async function exportLog(store: RunStore<FlightEvent>, run: string): Promise<ExportedRun> {
  const events = await readRecorded(run, store);
  const { runId } = foldRecorded(events);
  const { value, changed } = redactSecrets(events as unknown as Json);
  return {
    format: FORMAT,
    version: VERSION,
    runId,
    note: 'Exported without the checksums of its log; an import computes them anew.',
    redacted: changed,
    events: value as readonly Json[],
  };
}

/** An imported run, and how many of its texts had been redacted. */
export interface ImportReport {
  readonly runId: string;
  readonly events: number;
  readonly redacted: number;
}

/** Writes an exported run as a run of its own, its chain computed anew; throws `log_corrupt`, `run_exists`. */
export async function importLog(store: RunStore<FlightEvent>, file: string): Promise<ImportReport> {
  const { runId, redacted, events } = await readExported(file);
  const run = await store.create(runId);
  try {
    for (const event of events) run.log.append(event);
  } finally {
    await run.log.close();
  }
  return { runId, events: events.length, redacted };
}

async function readExported(
  file: string,
): Promise<{ runId: string; redacted: number; events: readonly FlightEvent[] }> {
  const exported = exportedSchema.safeParse(await readJson(file));
  if (!exported.success) throw unreadable(file, 'it is no exported run');
  const { runId, redacted } = exported.data;
  const events = exported.data.events.map((value, index) => readEvent(file, value, index));
  // What was redacted no longer has the digest that it had, so only a whole export is held to all invariants.
  const broken = redacted > 0 ? null : findBroken(events);
  if (broken !== null) throw unreadable(file, `event ${broken.seq}: ${broken.problem}`);
  if (foldEvents(events).runId !== runId) throw unreadable(file, 'its events are of another run');
  return { runId, redacted, events };
}

function readEvent(file: string, value: Json, index: number): FlightEvent {
  try {
    const event = parseEvent(value);
    if (event.seq === index) return value as unknown as FlightEvent;
  } catch {
    // Told below, like a wrong place.
  }
  throw unreadable(file, `event ${index} is none, or not in its place`);
}

async function readJson(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch (error) {
    throw unreadable(file, error instanceof Error ? error.message : String(error), error);
  }
}

function unreadable(file: string, problem: string, cause?: unknown): OrchestratorError {
  return new OrchestratorError('log_corrupt', `${file}: ${problem}`, {
    hint: '`orchestrate export RUN --out FILE` writes such a file.',
    ...(cause === undefined ? {} : { cause }),
  });
}
