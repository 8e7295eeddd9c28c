import type { EventOf, FlightEvent } from '../../src/flight/events.ts';

/** The shortest event with a text in it. */
export function noteAt(seq: number, message = `note ${seq}`): EventOf<'tool.logged'> {
  return { seq, at: 1_000 + seq, type: 'tool.logged', node: 'n', message };
}

/** So many short events, from a sequence on. */
export function notes(count: number, from = 0): FlightEvent[] {
  return Array.from({ length: count }, (_, index) => noteAt(from + index));
}
