import type { EventOf, FlightEvent } from '../flight/events.ts';
import { evolve, foldEvents } from '../run/evolve.ts';
import { RULES_VERSION } from '../run/rules.ts';
import { Driver } from './driver.ts';
import type { EnginePorts } from './ports.ts';

type Payload<T extends FlightEvent['type']> = Omit<EventOf<T>, 'seq' | 'at' | 'type' | 'rules'>;

/** A driver for a new run, whose log holds its configuration and its catalogue and nothing else. */
export function beginRun(
  started: Payload<'run.started'>,
  catalogue: Payload<'catalogue.published'>,
  ports: EnginePorts,
): Driver {
  const first: FlightEvent = {
    seq: 0,
    at: ports.clock.now(),
    type: 'run.started',
    rules: RULES_VERSION,
    ...started,
  };
  const second: FlightEvent = { seq: 1, at: ports.clock.now(), type: 'catalogue.published', ...catalogue };
  const state = foldEvents([first]);
  ports.log.append(first);
  ports.onEvent?.(first, state);
  ports.log.append(second);
  evolve(state, second);
  ports.onEvent?.(second, state);
  return new Driver(state, ports);
}

/** A driver for a run that ended early or whose process died: it goes on from what the log holds. */
export function resumeRun(
  events: readonly FlightEvent[],
  resumed: Payload<'run.resumed'>,
  ports: EnginePorts,
): Driver {
  const state = foldEvents(events);
  const event: FlightEvent = {
    seq: state.lastSeq + 1,
    at: ports.clock.now(),
    type: 'run.resumed',
    rules: RULES_VERSION,
    ...resumed,
  };
  ports.log.append(event);
  evolve(state, event);
  ports.onEvent?.(event, state);
  return new Driver(state, ports);
}
