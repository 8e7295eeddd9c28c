import { onTestFinished } from 'vitest';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EventOf, EventPayload, FlightEvent } from '../../src/flight/events.ts';

/** An event at a place of a log, at a time that follows from the place. */
export function eventAt(seq: number, payload: EventPayload): FlightEvent {
  return { seq, at: 1_000 + seq / 8, ...payload };
}

/** A result of a node with that value. */
export function resultAt(seq: number, value: EventOf<'node.done'>['value']): FlightEvent {
  return eventAt(seq, { type: 'node.done', node: 'n', attempt: 1, value });
}

/** A folder of its own for a test, removed when it ends. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sortie-flight-'));
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}
