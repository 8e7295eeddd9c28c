import type { FlightEvent } from '../flight/events.ts';
import type { RunState } from '../run/state.ts';
import type { EnginePorts } from './ports.ts';

/** Tells the observer of an event; an error of the observer's own surfaces as an uncaught one and does not touch the run. */
export function notify(ports: Pick<EnginePorts, 'onEvent'>, event: FlightEvent, state: RunState): void {
  try {
    ports.onEvent?.(event, state);
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}
