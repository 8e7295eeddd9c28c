/*
 * The rows of the waterfall: nodes with their attempts and waits, the items of foreach nodes below them, and model
 * calls with their tries below the node that asked, or by themselves. Times are milliseconds of real time since the
 * run began.
 */
import type { Failure } from '../../contracts/failure.ts';
import type { EventOf, FlightEvent } from '../../flight/events.ts';
import type { RunReading } from '../run-reading.ts';
import { type ShownState, shownState } from './shown-state.ts';
import { WaterfallCalls } from './waterfall-calls.ts';
import {
  type AgentReading,
  type Bar,
  type BarKind,
  type CallTry,
  closeBar,
  openBar,
  rowOfNode,
  type WaterfallRow,
} from './waterfall-rows.ts';

/** The rows of a run, its calls by the key of the call, and its agents by theirs. */
export interface Waterfall {
  readonly rows: readonly WaterfallRow[];
  readonly calls: ReadonlyMap<string, readonly CallTry[]>;
  readonly agents: ReadonlyMap<string, AgentReading>;
}

/** Draws the rows up, in the order in which their work began, what belongs together kept together. */
export function buildWaterfall(reading: RunReading): Waterfall {
  const builder = new WaterfallBuilder(reading);
  for (const event of reading.events) builder.read(event);
  return builder.finish();
}

class WaterfallBuilder {
  readonly #reading: RunReading;
  readonly #startMs: number;
  readonly #bars = new Map<string, Bar[]>();
  readonly #attempts = new Map<string, Bar>();
  readonly #waits = new Map<string, Bar>();
  /** Attempts that agents do the work of, by node: they go on in the process after. */
  readonly #handedOn = new Map<string, EventOf<'node.started'>>();
  readonly #calls = new WaterfallCalls();
  #beforeMs = 0;

  constructor(reading: RunReading) {
    this.#reading = reading;
    this.#startMs = reading.started.at;
  }

  read(event: FlightEvent): void {
    const ms = event.at - this.#startMs;
    this.#calls.read(event, ms);
    if (event.type === 'node.started') this.#startAttempt(event, ms);
    else if (event.type === 'node.done') this.#endAttempt(event.node, 'done', ms);
    else if (event.type === 'attempt.failed') this.#endAttempt(event.node, 'failed', ms, event.failure);
    else if (event.type === 'node.cancelled') this.#endAttempt(event.node, 'cancelled', ms);
    else if (event.type === 'node.amended') this.#endAttempt(event.node, 'again', ms);
    else if (event.type === 'node.failed') this.#endAttempt(event.node, 'failed', ms, event.failure);
    else if (event.type === 'node.refused') this.#endAttempt(event.node, 'failed', ms);
    else if (event.type === 'approval.requested') this.#askPerson(event, ms);
    else if (event.type === 'approval.decided') end(this.#waits, event.node, 'waiting', ms);
    else if (event.type === 'node.expanded') this.#addBar(event.node, 'items', ms, `${event.items} items`);
    else if (event.type === 'node.joined') endItems(this.#bars.get(event.node), ms);
    else if (event.type === 'run.resumed' || event.type === 'run.forked') {
      this.#loseOpen();
      this.#goOn(ms);
    } else if (event.type === 'run.finished' || event.type === 'run.interrupted') this.#loseOpen(ms);
    this.#beforeMs = ms;
  }

  finish(): Waterfall {
    if (this.#reading.status === 'unfinished') this.#loseOpen();
    const rows = [...this.#nodeRows(), ...this.#calls.rows()];
    const known = new Set(rows.map(({ id }) => id));
    const first = (row: WaterfallRow): number => row.bars[0]?.startMs ?? Infinity;
    const isTop = ({ parent }: WaterfallRow): boolean => parent === null || !known.has(parent);
    const top = rows.filter(isTop).sort((a, b) => first(a) - first(b));
    const below = new Map<string, WaterfallRow[]>();
    for (const row of rows) {
      if (row.parent === null) continue;
      const siblings = below.get(row.parent);
      if (siblings === undefined) below.set(row.parent, [row]);
      else siblings.push(row);
    }
    const ordered: WaterfallRow[] = [];
    const place = (row: WaterfallRow, depth: number): void => {
      row.depth = depth;
      ordered.push(row);
      const children = below.get(row.id) ?? [];
      row.children = children.length;
      for (const child of children) place(child, depth + 1);
    };
    for (const row of top) place(row, 0);
    for (const { bars, state } of ordered) markTriedAgain(bars, state);
    const { calls, agents } = this.#calls;
    return { rows: ordered, calls, agents };
  }

  #startAttempt(event: EventOf<'node.started'>, ms: number, label = `attempt ${event.attempt}`): void {
    const { node, agent } = event;
    if (agent !== undefined) this.#handedOn.set(node, event);
    this.#attempts.set(node, this.#addBar(node, 'running', ms, label));
  }

  #endAttempt(node: string, kind: BarKind, ms: number, failure: Failure | null = null): void {
    this.#handedOn.delete(node);
    end(this.#attempts, node, kind, ms, failure);
  }

  #askPerson({ node, question, call }: EventOf<'approval.requested'>, ms: number): void {
    if (question === 'plan' || call !== undefined) return;
    const label = question === 'in_doubt' ? 'a person said what became of it' : 'waited for a person';
    this.#waits.set(node, this.#addBar(node, 'waiting', ms, label));
  }

  #addBar(node: string, kind: BarKind, startMs: number, label: string): Bar {
    const bar = openBar(kind, startMs, label);
    const bars = this.#bars.get(node);
    if (bars === undefined) this.#bars.set(node, [bar]);
    else bars.push(bar);
    return bar;
  }

  /** What was under way when its process ended has no end of its own. */
  #loseOpen(ms = this.#beforeMs): void {
    for (const bar of this.#attempts.values()) closeBar(bar, 'lost', ms);
    this.#attempts.clear();
    this.#calls.lose(ms);
  }

  #goOn(ms: number): void {
    for (const event of this.#handedOn.values()) {
      this.#startAttempt(event, ms, `attempt ${event.attempt}, taken up again`);
    }
    this.#calls.goOn(ms);
  }

  *#nodeRows(): Generator<WaterfallRow> {
    const asked = new Set<string | null>();
    for (const { node } of [...this.#calls.calls.values()].flat()) asked.add(node);
    for (const { id, itemOf, plan, status } of this.#reading.nodes.values()) {
      const bars = this.#bars.get(id);
      if (bars === undefined && !asked.has(id)) continue;
      yield {
        ...{ id: rowOfNode(id), kind: itemOf === null ? 'node' : 'item', label: id, what: plan.tool },
        ...{ state: shownState(status), node: id, bars: bars ?? [], depth: 0, children: 0, note: '' },
        parent: itemOf === null ? null : rowOfNode(itemOf),
      };
    }
  }
}

function end(
  open: Map<string, Bar>,
  node: string,
  kind: BarKind,
  ms: number,
  failure: Failure | null = null,
): void {
  const bar = open.get(node);
  if (bar !== undefined) closeBar(bar, kind, ms, failure);
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
