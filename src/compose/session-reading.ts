import type { RunStore } from '../contracts/ports.ts';
import type { FlightEvent } from '../flight/events.ts';
import { cutText } from '../kernel/cut-text.ts';
import type { Json } from '../kernel/json.ts';
import { evolve, foldEvents } from '../run/evolve.ts';
import type { SearchSessions, SessionHit } from './own-tools.ts';

/** One exchange of a session as its log holds it. Times are epoch milliseconds. */
export interface Exchange {
  /** Key of its agent. */
  readonly key: string;
  readonly taskId?: string;
  readonly asked: string;
  readonly askedAtMs: number;
  /** Null while it goes on, or where its process died. */
  readonly answer: string | null;
  readonly endedAtMs: number | null;
  readonly status: 'completed' | 'partial' | 'aborted' | 'open';
}

/** The exchanges of a session, in order; none of a run that is no session. Throws where the log does not fold. */
export function readExchanges(events: readonly FlightEvent[]): Exchange[] {
  const first = events[0];
  if (first?.type !== 'run.started' || first.session !== true) return [];
  const state = foldEvents([first]);
  const exchanges: Exchange[] = [];
  for (const event of events.slice(1)) {
    const message = state.session?.received[0];
    evolve(state, event);
    if (event.type === 'agent.started' && event.parent === undefined) {
      exchanges.push({
        ...{ key: event.agent, asked: event.task, askedAtMs: message?.at ?? event.at },
        ...(message?.taskId === undefined ? {} : { taskId: message.taskId }),
        ...{ answer: null, endedAtMs: null, status: 'open' },
      });
    } else if (event.type === 'agent.finished') {
      const index = exchanges.findIndex(({ key }) => key === event.agent);
      const open = exchanges[index];
      // What was interrupted said nothing: what is listed of it is for the run alone.
      const answer = event.status === 'aborted' ? '' : (state.crew.get(event.agent)?.answerText ?? '');
      if (open !== undefined)
        exchanges[index] = { ...open, answer, endedAtMs: event.at, status: event.status };
    }
  }
  return exchanges;
}

/** Most sessions that are looked through, the newest first. */
const MOST_SESSIONS = 200;
const HIT_CHARS = 600;

/** A search through the logs of a store by words: hits hold all of them, the newest session first. `except` is left out. */
export function searchLogs(store: RunStore<FlightEvent>, except: () => string): SearchSessions {
  return async (query, limit) => {
    const words = query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
    const hits: SessionHit[] = [];
    for (const session of (await store.list()).slice(0, MOST_SESSIONS)) {
      if (session === except() || words.length === 0) continue;
      const exchanges = await store
        .derive(session, 'exchanges', (events) => readExchanges(events) as unknown as Json)
        .catch((): Json => []);
      for (const exchange of (exchanges as unknown as Exchange[]).toReversed()) {
        hits.push(...hitsIn(session, exchange, words));
        if (hits.length >= limit) return hits.slice(0, limit);
      }
    }
    return hits;
  };
}

function hitsIn(session: string, exchange: Exchange, words: readonly string[]): SessionHit[] {
  const { asked, askedAtMs, answer, endedAtMs } = exchange;
  const said = [
    { role: 'user' as const, text: asked, at: askedAtMs },
    { role: 'assistant' as const, text: answer ?? '', at: endedAtMs ?? askedAtMs },
  ];
  return said
    .filter(({ text }) => words.every((word) => text.toLowerCase().includes(word)))
    .map(({ text, ...rest }) => ({ session, ...rest, text: cutText(text, HIT_CHARS) }));
}
