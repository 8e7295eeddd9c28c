import type { FlightEvent } from '../index.ts';

/** True for the events of a session with an agent. */
export function isSession([first]: readonly FlightEvent[]): boolean {
  return first?.type === 'run.started' && first.session === true;
}
