import { fileURLToPath } from 'node:url';
import type { FlightEvent } from '../../src/flight/events.ts';
import { readFlightFile } from '../../src/flight/file-store.ts';

/** The events of a golden log, by its name without the ending. */
export function readGolden(name: string): Promise<readonly FlightEvent[]> {
  return readFlightFile(fileURLToPath(new URL(`../replay/golden/${name}.jsonl`, import.meta.url)));
}
