import type { Message } from '../contracts/model.ts';
import type { FlightEvent } from '../flight/events.ts';
import { evolve, foldEvents } from '../run/evolve.ts';
import { type Exchange, readExchanges } from './session-reading.ts';

/** A session as lists show it. Times are epoch milliseconds. */
export interface SessionLine {
  readonly session: string;
  /** Name of its task. */
  readonly name: string;
  readonly startedAtMs: number;
  readonly updatedAtMs: number;
  readonly exchanges: number;
  /** What the person said last; empty where nothing was said yet. */
  readonly lastAsked: string;
  /** `open`: its last exchange has not ended. */
  readonly status: 'open' | 'idle';
  /** The session whose beginning it goes on with; null where it began anew. */
  readonly origin: string | null;
}

/** A session as it is indexed. */
export interface SessionRecord extends SessionLine {
  readonly said: readonly Exchange[];
}

/** What the log of a run holds as a session; null where it is none. Throws where the log does not fold. */
export function readSession(session: string, events: readonly FlightEvent[]): SessionRecord | null {
  const [first] = events;
  if (first?.type !== 'run.started' || first.session !== true) return null;
  const said = readExchanges(events);
  const last = said.at(-1);
  const forked = events.findLast((event) => event.type === 'run.forked');
  return {
    session,
    name: first.task.name,
    startedAtMs: first.at,
    updatedAtMs: last?.endedAtMs ?? last?.askedAtMs ?? first.at,
    exchanges: said.length,
    lastAsked: last?.asked ?? '',
    status: last?.status === 'open' ? 'open' : 'idle',
    origin: forked?.type === 'run.forked' ? forked.origin : null,
    said,
  };
}

/** One exchange with every message of it, calls of tools and their results included, as they were before any compression. */
export interface TranscribedExchange extends Exchange {
  readonly messages: readonly Message[];
}

/** The whole conversation of a session, by exchange; nothing of a run that is no session. */
export function readTranscript(events: readonly FlightEvent[]): TranscribedExchange[] {
  const [first, ...rest] = events;
  if (first === undefined) return [];
  const state = foldEvents([first]);
  const seen = new WeakSet<Message>();
  const said = new Map<string, Message[]>();
  let current = '';
  for (const event of rest) {
    evolve(state, event);
    if (event.type === 'agent.started' && event.parent === undefined) {
      current = event.agent;
      said.set(current, []);
    }
    const fresh = takeNew(state.crew.get(current)?.messages ?? [], seen);
    // A summary in the place of messages was not said by anybody.
    if (event.type !== 'context.compressed') said.get(current)?.push(...fresh);
  }
  return readExchanges(events).map((exchange) => ({ ...exchange, messages: said.get(exchange.key) ?? [] }));
}

/** The messages at the end of a history that were not taken yet. */
function takeNew(history: readonly Message[], seen: WeakSet<Message>): Message[] {
  let first = history.length;
  while (first > 0 && !seen.has(history[first - 1] as Message)) first--;
  const fresh = history.slice(first);
  for (const message of fresh) seen.add(message);
  return fresh;
}
