/*
 * The rows of the waterfall: nodes with their attempts and waits, the items of foreach nodes below them, and model
 * calls with their tries below the node that asked, or by themselves. Times are milliseconds of real time since the
 * run began.
 */
import type { Failure } from '../../contracts/failure.ts';
import type { Usage } from '../../contracts/model.ts';
import type { EventOf, FlightEvent } from '../../flight/events.ts';
import { AgentNodes } from '../agent-nodes.ts';
import type { RunReading } from '../run-reading.ts';
import { describeUsage } from './describe-usage.ts';
import { type ShownState, shownState } from './shown-state.ts';

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

/** One row. */
export interface WaterfallRow {
  readonly id: string;
  readonly kind: 'node' | 'item' | 'call';
  readonly label: string;
  /** The tool, or the role and the model. */
  readonly what: string;
  state: ShownState;
  readonly depth: number;
  /** The node that a choice of the row shows; null for calls of the run itself. */
  readonly node: string | null;
  readonly parent: string | null;
  readonly bars: Bar[];
  /** Rows below this one. */
  children: number;
  /** Tokens of a model call, in words. */
  note: string;
}

/** The tries of one model call. */
export interface CallTry {
  readonly key: string;
  readonly role: string;
  readonly model: string;
  readonly provider: string;
  readonly node: string | null;
  readonly bar: Bar;
  usage: Usage | null;
  answer: string | null;
}

/** The rows of a run, and its model calls by the key of the call. */
export interface Waterfall {
  readonly rows: readonly WaterfallRow[];
  readonly calls: ReadonlyMap<string, readonly CallTry[]>;
}

/** Draws the rows up, in the order in which their work began, what belongs together kept together. */
export function buildWaterfall(reading: RunReading): Waterfall {
  const builder = new WaterfallBuilder(reading);
  for (const event of reading.events) builder.read(event);
  return builder.finish();
}

type StartedCall = Pick<CallTry, 'key' | 'role' | 'model' | 'provider'> & {
  readonly node?: string | null | undefined;
};

class WaterfallBuilder {
  readonly #reading: RunReading;
  readonly #startMs: number;
  readonly #bars = new Map<string, Bar[]>();
  readonly #attempts = new Map<string, Bar>();
  readonly #waits = new Map<string, Bar>();
  readonly #agents = new AgentNodes();
  readonly #calls = new Map<string, CallTry[]>();
  readonly #openCalls = new Map<string, CallTry>();
  #beforeMs = 0;

  constructor(reading: RunReading) {
    this.#reading = reading;
    this.#startMs = reading.started.at;
  }

  read(event: FlightEvent): void {
    const ms = event.at - this.#startMs;
    if (event.type === 'node.started') this.#startAttempt(event, ms);
    else if (event.type === 'node.done') end(this.#attempts, event.node, 'done', ms);
    else if (event.type === 'attempt.failed') {
      end(this.#attempts, event.node, 'failed', ms, event.failure);
    } else if (event.type === 'node.cancelled') end(this.#attempts, event.node, 'cancelled', ms);
    else if (event.type === 'node.amended') end(this.#attempts, event.node, 'again', ms);
    else if (event.type === 'approval.requested' && event.question !== 'plan') {
      const label = event.question === 'in_doubt' ? 'a person said what became of it' : 'waited for a person';
      this.#waits.set(event.node, this.#addBar(event.node, 'waiting', ms, label));
    } else if (event.type === 'approval.decided') end(this.#waits, event.node, 'waiting', ms);
    else if (event.type === 'node.expanded') this.#addBar(event.node, 'items', ms, `${event.items} items`);
    else if (event.type === 'node.joined') endItems(this.#bars.get(event.node), ms);
    else if (event.type === 'model.requested') this.#startCall(event, ms);
    else if (event.type === 'call.started') {
      const { key, tool: role, agent } = event;
      this.#startCall({ key, role, model: '', provider: 'tool', node: this.#agents.nodeOf(agent) }, ms);
    } else if (event.type === 'call.amended') this.#endCall(event.key, 'again', ms);
    else if (event.type === 'call.returned') this.#endCall(event.key, 'done', ms);
    else if (event.type === 'node.failed') end(this.#attempts, event.node, 'failed', ms, event.failure);
    else if (event.type === 'node.refused') end(this.#attempts, event.node, 'failed', ms);
    else if (event.type === 'model.answered') this.#answerCall(event, ms);
    else if (event.type === 'model.failed' || event.type === 'call.failed') {
      const call = this.#openCalls.get(event.key);
      if (call !== undefined) close(call.bar, 'failed', ms, event.failure);
      this.#openCalls.delete(event.key);
    } else if (event.type === 'run.resumed' || event.type === 'run.forked') this.#loseOpen();
    else if (event.type === 'run.finished' || event.type === 'run.interrupted') this.#loseOpen(ms);
    this.#beforeMs = ms;
  }

  finish(): Waterfall {
    if (this.#reading.status === 'unfinished') this.#loseOpen();
    const rows = [...this.#nodeRows(), ...this.#callRows(null, null, 0)];
    const first = (row: WaterfallRow): number => row.bars[0]?.startMs ?? Infinity;
    const top = rows.filter(({ parent }) => parent === null).sort((a, b) => first(a) - first(b));
    const below = new Map<string, WaterfallRow[]>();
    for (const row of rows) {
      if (row.parent === null) continue;
      const siblings = below.get(row.parent);
      if (siblings === undefined) below.set(row.parent, [row]);
      else siblings.push(row);
    }
    const ordered: WaterfallRow[] = [];
    const place = (row: WaterfallRow): void => {
      ordered.push(row);
      const children = below.get(row.id) ?? [];
      row.children = children.length;
      children.forEach(place);
    };
    top.forEach(place);
    for (const { bars, state } of ordered) markTriedAgain(bars, state);
    return { rows: ordered, calls: this.#calls };
  }

  #startAttempt(event: EventOf<'node.started'>, ms: number): void {
    const { node, attempt } = event;
    this.#agents.note(event);
    this.#attempts.set(node, this.#addBar(node, 'running', ms, `attempt ${attempt}`));
  }

  #addBar(node: string, kind: BarKind, startMs: number, label: string): Bar {
    const bar: Bar = { kind, startMs, endMs: null, label, failure: null };
    const bars = this.#bars.get(node);
    if (bars === undefined) this.#bars.set(node, [bar]);
    else bars.push(bar);
    return bar;
  }

  #startCall(started: StartedCall, ms: number): void {
    const { key, role, model, provider, node } = started;
    const id = callId(key);
    const tries = this.#calls.get(id) ?? [];
    const label = `try ${tries.length + 1}, ${provider}${model === '' ? '' : ` ${model}`}`;
    const bar: Bar = { kind: 'running', startMs: ms, endMs: null, label, failure: null };
    const call: CallTry = {
      ...{ key, role, model, provider, node: node ?? null },
      ...{ bar, usage: null, answer: null },
    };
    tries.push(call);
    this.#calls.set(id, tries);
    this.#openCalls.set(key, call);
  }

  #answerCall({ key, answer }: EventOf<'model.answered'>, ms: number): void {
    const call = this.#endCall(key, 'done', ms);
    if (call === undefined) return;
    call.usage = answer.usage;
    call.answer = answer.text;
  }

  #endCall(key: string, kind: BarKind, ms: number): CallTry | undefined {
    const call = this.#openCalls.get(key);
    if (call !== undefined) close(call.bar, kind, ms);
    this.#openCalls.delete(key);
    return call;
  }

  /** What was under way when its process ended has no end of its own. */
  #loseOpen(ms = this.#beforeMs): void {
    for (const bar of this.#attempts.values()) close(bar, 'lost', ms);
    for (const { bar } of this.#openCalls.values()) close(bar, 'lost', ms);
    this.#attempts.clear();
    this.#openCalls.clear();
  }

  *#nodeRows(): Generator<WaterfallRow> {
    const callsOf = new Map<string, string[]>();
    for (const [id, [call]] of this.#calls) {
      if (call === undefined || call.node === null) continue;
      const known = callsOf.get(call.node);
      if (known === undefined) callsOf.set(call.node, [id]);
      else known.push(id);
    }
    for (const node of this.#reading.nodes.values()) {
      const bars = this.#bars.get(node.id);
      const calls = callsOf.get(node.id);
      if (bars === undefined && calls === undefined) continue;
      const depth = node.itemOf === null ? 0 : 1;
      const id = rowOfNode(node.id);
      yield {
        ...{ id, kind: node.itemOf === null ? 'node' : 'item', label: node.id, what: node.plan.tool, depth },
        ...{ state: shownState(node.status), node: node.id, bars: bars ?? [], children: 0, note: '' },
        parent: node.itemOf === null ? null : rowOfNode(node.itemOf),
      };
      if (calls !== undefined) yield* this.#callRows(node.id, id, depth + 1, calls);
    }
  }

  *#callRows(
    node: string | null,
    parent: string | null,
    depth: number,
    ids: Iterable<string> = this.#calls.keys(),
  ): Generator<WaterfallRow> {
    for (const id of ids) {
      const tries = this.#calls.get(id) ?? [];
      const last = tries.at(-1);
      if (last === undefined || (node === null && last.node !== null)) continue;
      const bars = tries.map(({ bar }) => bar);
      yield {
        ...{
          id: `call ${id}`,
          kind: 'call',
          label: node === null ? id : last.role,
          depth,
          node,
          parent,
          bars,
        },
        ...{ what: [last.role, last.model].filter((part) => part !== '').join(' · ') },
        ...{ state: stateOfCall(last.bar.kind), children: 0, note: describeUsage(last.usage) },
      };
    }
  }
}

/** The row of a node. */
export function rowOfNode(id: string): string {
  return `node ${id}`;
}

/** The key of a call without the number of the try. */
function callId(key: string): string {
  return key.replace(/#\d+$/, '');
}

function stateOfCall(kind: BarKind): ShownState {
  if (kind === 'running' || kind === 'done' || kind === 'failed') return kind;
  return kind === 'again' ? 'retrying' : 'cancelled';
}

function close(bar: Bar, kind: BarKind, ms: number, failure: Failure | null = null): void {
  bar.kind = kind;
  bar.endMs = ms;
  bar.failure = failure;
}

function end(
  open: Map<string, Bar>,
  node: string,
  kind: BarKind,
  ms: number,
  failure: Failure | null = null,
): void {
  const bar = open.get(node);
  if (bar !== undefined) close(bar, kind, ms, failure);
  open.delete(node);
}

function endItems(bars: readonly Bar[] | undefined, ms: number): void {
  const bar = bars?.findLast(({ kind, endMs }) => kind === 'items' && endMs === null);
  if (bar !== undefined) bar.endMs = ms;
}

function markTriedAgain(bars: readonly Bar[], state: ShownState): void {
  const last = bars.findLast(({ kind }) => kind !== 'waiting');
  for (const bar of bars) {
    if (bar.kind === 'failed' && (bar !== last || state === 'retrying')) bar.kind = 'again';
  }
}
