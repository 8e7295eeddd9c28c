import type { EventOf, EventPayload, FlightEvent } from '../flight/events.ts';
import { evolve, foldEvents } from '../run/evolve.ts';
import { RULES_VERSION } from '../run/rules.ts';
import type { RunState } from '../run/state.ts';
import { Driver } from './driver.ts';
import { keepNotes, notesInDoubt } from './keep-notes.ts';
import { notify } from './notify.ts';
import type { EnginePorts } from './ports.ts';

type Payload<T extends FlightEvent['type']> = Omit<
  EventOf<T>,
  'seq' | 'at' | 'type' | 'rules' | 'memory' | 'hooks'
>;

/** A driver for a new run, whose log holds its configuration and its catalogue and nothing else. */
export function beginRun(
  started: Payload<'run.started'>,
  catalogue: Payload<'catalogue.published'>,
  ports: EnginePorts,
): Driver {
  const first = place(0, ports, {
    type: 'run.started',
    rules: RULES_VERSION,
    ...started,
    ...surroundingsOf(ports),
    ...callerOf(ports),
  });
  const second = place(1, ports, { type: 'catalogue.published', ...catalogue });
  const state = foldEvents([first]);
  ports.log.append(first);
  notify(ports, first, state);
  ports.log.append(second);
  evolve(state, second);
  notify(ports, second, state);
  return new Driver(state, ports);
}

/** A driver for a run that ended early or whose process died: it goes on from what the log holds. */
export function resumeRun(
  events: readonly FlightEvent[],
  resumed: Payload<'run.resumed'>,
  ports: EnginePorts,
  catalogue?: Payload<'catalogue.published'>,
): Driver {
  const state = foldEvents(events);
  const inDoubt = notesInDoubt(events, state);
  take(state, ports, {
    type: 'run.resumed',
    rules: RULES_VERSION,
    ...resumed,
    ...surroundingsOf(ports),
    ...callerOf(ports),
  });
  renewCatalogue(state, events, ports, catalogue);
  const driver = new Driver(state, ports);
  for (const change of inDoubt) void keepNotes(ports, state, change, (payload) => driver.submit(payload));
  return driver;
}

/** A driver for a new run that goes on from the beginning of another, whose events its log takes over first. */
export function forkRun(
  events: readonly FlightEvent[],
  forked: Payload<'run.forked'>,
  ports: EnginePorts,
  catalogue: Payload<'catalogue.published'>,
): Driver {
  for (const event of events) ports.log.append(event);
  const state = foldEvents(events);
  take(state, ports, {
    type: 'run.forked',
    rules: RULES_VERSION,
    ...forked,
    ...surroundingsOf(ports),
    ...callerOf(ports),
  });
  renewCatalogue(state, events, ports, catalogue);
  return new Driver(state, ports);
}

/** Whether this process has a memory and hooks, and how it judges arguments, as the log says it. */
function surroundingsOf({ memory, hooks }: EnginePorts): {
  memory?: true;
  hooks?: 'all';
  targets: 'resolved';
} {
  return {
    targets: 'resolved',
    ...(memory === undefined ? {} : { memory: true }),
    ...(hooks === undefined ? {} : { hooks: 'all' }),
  };
}

/** The trace that this process was called in, as the log says it. */
function callerOf({ trace }: EnginePorts): { traceparent?: string } {
  return trace?.traceparent === undefined ? {} : { traceparent: trace.traceparent };
}

/** Publishes the catalogue again where it is not the one that was published last. */
function renewCatalogue(
  state: RunState,
  events: readonly FlightEvent[],
  ports: EnginePorts,
  catalogue: Payload<'catalogue.published'> | undefined,
): void {
  const published = events.findLast((event) => event.type === 'catalogue.published');
  if (catalogue === undefined || catalogue.hash === published?.hash) return;
  take(state, ports, { type: 'catalogue.published', ...catalogue });
}

function take(state: RunState, ports: EnginePorts, payload: EventPayload): void {
  const event = place(state.lastSeq + 1, ports, payload);
  ports.log.append(event);
  evolve(state, event);
  notify(ports, event, state);
}

/** The event that a payload is at its place, without any known credential. */
function place(seq: number, ports: EnginePorts, payload: EventPayload): FlightEvent {
  return { seq, at: ports.clock.now(), ...(ports.mask?.(payload) ?? payload) };
}
