import type { Failure } from '../../contracts/failure.ts';
import type { Usage } from '../../contracts/model.ts';
import type { EventOf } from '../../flight/events.ts';
import type { Json } from '../../kernel/json.ts';
import type { ShownState } from './shown-state.ts';

/** What a bar stands for; `again` is a failed try that was made again, `waiting` a person who is asked. */
export type BarKind = 'done' | 'running' | 'failed' | 'again' | 'cancelled' | 'lost' | 'waiting' | 'items';

/** The kinds in words. */
export const BAR_WORDS: Readonly<Record<BarKind, string>> = {
  done: 'done',
  running: 'under way',
  failed: 'failed',
  again: 'failed and tried again',
  cancelled: 'cancelled',
  lost: 'lost with its process',
  waiting: 'a person was asked',
  items: 'its items',
};

/** One span of a row; `endMs` is null while it goes on. */
export interface Bar {
  kind: BarKind;
  readonly startMs: number;
  endMs: number | null;
  readonly label: string;
  failure: Failure | null;
}

/** One row: a node, an item, a model call, a tool call of an agent, or an agent that is no node. */
export interface WaterfallRow {
  readonly id: string;
  readonly kind: 'node' | 'item' | 'call' | 'tool' | 'agent';
  readonly label: string;
  /** The tool, or the role and the model. */
  readonly what: string;
  state: ShownState;
  depth: number;
  /** The node that a choice of the row shows; null where the row is shown by itself. */
  readonly node: string | null;
  readonly parent: string | null;
  readonly bars: Bar[];
  /** Rows below this one. */
  children: number;
  /** Tokens of a model call, in words. */
  note: string;
}

/** One try of a call: of a model, or of a tool by an agent. */
export interface CallTry {
  readonly kind: 'model' | 'tool';
  readonly key: string;
  /** The role of the model, or the tool. */
  readonly role: string;
  readonly model: string;
  readonly provider: string;
  readonly node: string | null;
  readonly bar: Bar;
  usage: Usage | null;
  answer: string | null;
  /** Of a tool; undefined where the log does not say them in so many words. */
  readonly args: Json | undefined;
  /** Of a tool; undefined where there is none. */
  result: Json | undefined;
}

/** One exchange of an agent. */
export interface AgentReading {
  readonly started: EventOf<'agent.started'>;
  /** The node whose work it is; null in a session. */
  readonly node: string | null;
  /** Rounds that it has begun. */
  rounds: number;
  finished: EventOf<'agent.finished'> | null;
  readonly bars: Bar[];
}

/** A bar that begins. */
export function openBar(kind: BarKind, startMs: number, label: string): Bar {
  return { kind, startMs, endMs: null, label, failure: null };
}

/** Ends a bar as what it turned out to be. */
export function closeBar(bar: Bar, kind: BarKind, ms: number, failure: Failure | null = null): void {
  bar.kind = kind;
  bar.endMs = ms;
  bar.failure = failure;
}

/** The row of a node. */
export function rowOfNode(id: string): string {
  return `node ${id}`;
}
