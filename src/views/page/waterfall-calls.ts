import type { ToolCall } from '../../contracts/model.ts';
import type { EventOf, FlightEvent } from '../../flight/events.ts';
import type { Json } from '../../kernel/json.ts';
import { isHandedOn, ownerKey } from '../../run/crew-state.ts';
import { AgentNodes } from '../agent-nodes.ts';
import { describeUsage } from './describe-usage.ts';
import type { ShownState } from './shown-state.ts';
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

type StartedCall = Pick<CallTry, 'kind' | 'key' | 'role' | 'model' | 'provider' | 'args'> & {
  readonly node?: string | null | undefined;
};

/** The bars of one call: its tries, and a person who is asked about it. */
interface CallBars {
  readonly kind: CallTry['kind'];
  readonly role: string;
  readonly node: string | null;
  readonly bars: Bar[];
  isDenied: boolean;
}

/** What models and agents did, as rows: agents with their calls below them, and calls of models by themselves. */
export class WaterfallCalls {
  /** The tries of each call, by its key. */
  readonly calls = new Map<string, CallTry[]>();
  readonly agents = new Map<string, AgentReading>();
  readonly #nodes = new AgentNodes();
  /** Everything that has a row, in the order of first starts. */
  readonly #bars = new Map<string, CallBars | 'agent'>();
  readonly #open = new Map<string, CallTry>();
  readonly #waits = new Map<string, Bar>();
  /** What a model had called last, by its agent; the log names the calls after that. */
  readonly #wanted = new Map<string, readonly ToolCall[]>();
  readonly #args = new Map<string, Json>();

  read(event: FlightEvent, ms: number): void {
    const { type } = event;
    if (type === 'node.started') this.#nodes.note(event);
    else if (type === 'model.requested') {
      const { key, role, model, provider, node } = event;
      this.#startCall({ kind: 'model', key, role, model, provider, node, args: undefined }, ms);
    } else if (type === 'model.answered') this.#answerModel(event, ms);
    else if (type === 'turn.read') this.#readTurn(event);
    else if (type === 'agent.started') this.#startAgent(event, ms);
    else if (type === 'round.started') this.#setRounds(event);
    else if (type === 'agent.finished') this.#endAgent(event, ms);
    else if (type === 'call.started') this.#startTool(event, ms);
    else if (type === 'call.amended') {
      this.#args.set(event.key, event.args);
      this.#end(event.key, 'again', ms);
    } else if (type === 'call.returned') {
      const call = this.#end(event.key, 'done', ms);
      if (call !== undefined) call.result = event.value;
    } else if (type === 'call.failed' || type === 'model.failed') {
      const call = this.#end(event.key, 'failed', ms);
      if (call !== undefined) call.bar.failure = event.failure;
    } else if (type === 'call.refused') this.#endWait(event.key, ms);
    else if (type === 'approval.requested') this.#askPerson(event, ms);
    else if (type === 'approval.decided') this.#hearPerson(event, ms);
  }

  /** What was under way when its process ended has no end of its own. */
  lose(ms: number): void {
    for (const { bar } of this.#open.values()) closeBar(bar, 'lost', ms);
    this.#open.clear();
    for (const { bars } of this.agents.values()) {
      const bar = bars.at(-1);
      if (bar?.kind === 'running') closeBar(bar, 'lost', ms);
    }
  }

  /** Another process takes agents up where they were. */
  goOn(ms: number): void {
    for (const { finished, bars } of this.agents.values()) {
      if (finished === null && bars.length > 0) bars.push(openBar('running', ms, 'taken up again'));
    }
  }

  /** The rows of all of them, each below what it was made for. */
  *rows(): Generator<WaterfallRow> {
    for (const [id, made] of this.#bars) {
      if (made === 'agent') {
        const agent = this.agents.get(id);
        if (agent !== undefined) yield agentRow(id, agent, this.#rowAbove(id, agent.node));
      } else yield this.#callRow(id, made);
    }
  }

  #startCall(started: StartedCall, ms: number): void {
    const { kind, key, role, model, provider, args, node = null } = started;
    const id = callId(key);
    const tries = this.calls.get(id) ?? [];
    const label =
      kind === 'tool'
        ? `attempt ${tries.length + 1}`
        : `try ${tries.length + 1}, ${provider}${model === '' ? '' : ` ${model}`}`;
    const bar = openBar('running', ms, label);
    const call: CallTry = {
      ...{ kind, key, role, model, provider, node, bar, args },
      ...{ usage: null, answer: null, result: undefined },
    };
    tries.push(call);
    this.calls.set(id, tries);
    this.#open.set(key, call);
    this.#barsOf(id, call).push(bar);
  }

  #startTool({ key, tool, agent }: EventOf<'call.started'>, ms: number): void {
    // What is handed on is the work of an agent, which has a row of its own.
    if (isHandedOn(tool)) return;
    const args = this.#args.get(key);
    const node = this.#nodes.nodeOf(agent);
    this.#startCall({ kind: 'tool', key, role: tool, model: '', provider: '', node, args }, ms);
  }

  #barsOf(id: string, { kind, role, node }: Pick<CallTry, 'kind' | 'role' | 'node'>): Bar[] {
    const known = this.#bars.get(id);
    if (known !== undefined && known !== 'agent') return known.bars;
    const bars: Bar[] = [];
    this.#bars.set(id, { kind, role, node, bars, isDenied: false });
    return bars;
  }

  #answerModel({ key, answer }: EventOf<'model.answered'>, ms: number): void {
    const call = this.#end(key, 'done', ms);
    if (call === undefined) return;
    call.usage = answer.usage;
    call.answer = answer.text;
    if (answer.toolCalls !== undefined) this.#wanted.set(ownerKey(callId(key)), answer.toolCalls);
  }

  #end(key: string, kind: BarKind, ms: number): CallTry | undefined {
    const call = this.#open.get(key);
    if (call !== undefined) closeBar(call.bar, kind, ms);
    this.#open.delete(key);
    return call;
  }

  #startAgent(started: EventOf<'agent.started'>, ms: number): void {
    const { agent } = started;
    const node = this.#nodes.nodeOf(agent);
    // The row of a node is that of its agent.
    const isOfNode = node !== null && this.#nodes.isRoot(agent);
    const bars = isOfNode ? [] : [openBar('running', ms, 'at work')];
    this.agents.set(agent, { started, node, rounds: 0, finished: null, bars });
    if (!isOfNode) this.#bars.set(agent, 'agent');
  }

  #setRounds({ agent, round }: EventOf<'round.started'>): void {
    const known = this.agents.get(agent);
    if (known !== undefined) known.rounds = round;
  }

  #endAgent(finished: EventOf<'agent.finished'>, ms: number): void {
    const agent = this.agents.get(finished.agent);
    if (agent === undefined) return;
    agent.finished = finished;
    const bar = agent.bars.at(-1);
    if (bar?.kind === 'running') closeBar(bar, finished.status === 'aborted' ? 'cancelled' : 'done', ms);
  }

  #readTurn({ agent, calls }: EventOf<'turn.read'>): void {
    for (const [index, { key, tool }] of calls.entries()) {
      const wanted = this.#wanted.get(agent)?.[index];
      if (wanted?.name === tool) this.#args.set(key, wanted.args);
    }
  }

  #askPerson({ tool, args, question, call }: EventOf<'approval.requested'>, ms: number): void {
    if (call === undefined) return;
    const label = question === 'in_doubt' ? 'a person said what became of it' : 'waited for a person';
    const bar = openBar('waiting', ms, label);
    this.#barsOf(call, { kind: 'tool', role: tool, node: this.#nodes.nodeOf(ownerKey(call)) }).push(bar);
    this.#waits.set(call, bar);
    this.#args.set(call, args);
  }

  #hearPerson({ decision, call }: EventOf<'approval.decided'>, ms: number): void {
    if (call === undefined) return;
    this.#endWait(call, ms);
    const known = this.#bars.get(call);
    if (known !== undefined && known !== 'agent') known.isDenied = decision === 'denied';
  }

  #endWait(call: string, ms: number): void {
    const bar = this.#waits.get(call);
    if (bar !== undefined) closeBar(bar, 'waiting', ms);
    this.#waits.delete(call);
  }

  #callRow(id: string, { kind, role, node, bars, isDenied }: CallBars): WaterfallRow {
    const last = this.calls.get(id)?.at(-1);
    const isOwned = this.#isOwned(id);
    const isTool = kind === 'tool';
    return {
      ...{ id: `call ${id}`, kind: isTool ? 'tool' : 'call', bars, depth: 0, children: 0 },
      label: isTool || isOwned || node !== null ? role : id,
      what: isTool ? 'tool' : [role, last?.model ?? ''].filter((part) => part !== '').join(' · '),
      ...{ node: isOwned ? null : node, parent: this.#rowAbove(id, node) },
      ...{ state: stateOfCall(bars, isDenied), note: describeUsage(last?.usage ?? null) },
    };
  }

  /** Whether an agent made the call, or a tool that an agent called. */
  #isOwned(id: string): boolean {
    const owner = ownerKey(id);
    return this.agents.has(owner) || (this.#bars.has(owner) && this.agents.has(ownerKey(owner)));
  }

  #rowAbove(id: string, node: string | null): string | null {
    const owner = ownerKey(id);
    const above = this.#bars.get(owner);
    if (above === 'agent') return `agent ${owner}`;
    if (above !== undefined && this.#isOwned(id)) return `call ${owner}`;
    return node === null ? null : rowOfNode(node);
  }
}

function agentRow(id: string, agent: AgentReading, parent: string | null): WaterfallRow {
  const { started, rounds, finished, bars } = agent;
  return {
    ...{ id: `agent ${id}`, kind: 'agent', node: null, parent, bars, depth: 0, children: 0, note: '' },
    label: started.name ?? (parent === null ? id : 'delegate'),
    what: `agent · ${rounds} ${rounds === 1 ? 'round' : 'rounds'}`,
    state:
      finished === null ? stateOfCall(bars, false) : finished.status === 'aborted' ? 'cancelled' : 'done',
  };
}

/** The key of a call without the number of the try. */
function callId(key: string): string {
  return key.replace(/#\d+$/, '');
}

function stateOfCall(bars: readonly Bar[], isDenied: boolean): ShownState {
  const last = bars.at(-1);
  if (last?.kind === 'waiting') return last.endMs === null ? 'waiting' : isDenied ? 'refused' : 'pending';
  if (last?.kind === 'running' || last?.kind === 'done' || last?.kind === 'failed') return last.kind;
  return last?.kind === 'again' ? 'retrying' : 'cancelled';
}
