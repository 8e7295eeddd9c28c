import { CHILD_TOOLS } from '../contracts/agent.ts';
import type { Episode, KeyFigure, MemoryRecord } from '../contracts/memory.ts';
import type { PlanNode } from '../contracts/plan.ts';
import { canonicalJson } from '../kernel/canonical-json.ts';
import { cutText } from '../kernel/cut-text.ts';
import { hashJson } from '../kernel/hash.ts';
import type { Json } from '../kernel/json.ts';
import { keyFigures } from './key-figures.ts';
import { maskSecrets } from './mask-secrets.ts';
import { type AgentCallNotes, noteAgentCall } from './note-agent-call.ts';
import { isEvent, type RememberedEvents, type RunEvent } from './run-events.ts';

const TEXT_CHARS = 600;
const REASON_CHARS = 200;
/** As much of a result is looked through for figures. */
const LOOKED_CHARS = 100_000;
const LONGEST_SECRET_CHARS = 8000;
const MOST_FAILURES = 10;
const MOST_REASONS = 5;

/** Tools whose results are memories already, or of this run alone. */
const OWN_TOOLS: ReadonlySet<string> = new Set([
  'remember',
  'recall',
  'todo',
  'list_processes',
  'read_process',
]);

/** How much of a run is remembered. */
export interface RememberOptions {
  /** Facts kept of a run, the last found ones; 100 by default. */
  readonly mostFacts?: number;
  /** What the run cost in millionths of a US dollar, where prices are known. */
  readonly costMicroUsd?: number;
}

/**
 * What is kept of a run that ended, or ended early: one episode, and a fact for each result of a tool. The answer itself
 * is a fact only where nothing was found wrong with it. A log without a beginning or an end gives nothing.
 */
export function rememberRun(events: Iterable<RunEvent>, options: RememberOptions = {}): MemoryRecord[] {
  const notes = new RunNotes();
  for (const event of events) notes.take(event);
  return notes.toRecords(options);
}

/** What is worth remembering of a run, noted as its events come. */
export class RunNotes {
  readonly #notes: Notes = {
    ...{ goal: '', reasons: [], endedAt: 0, shape: '', replans: 0, tokens: 0, toolCalls: 0 },
    ...{ nodes: new Map(), results: new Map(), failures: new Map() },
    ...{ answers: new Map(), failedCalls: new Map() },
  };

  /** Notes an event; those of a run come in their order. */
  take(event: RunEvent): void {
    takeNote(this.#notes, event);
  }

  /** What is kept, as `rememberRun` says it. */
  toRecords(options: RememberOptions = {}): MemoryRecord[] {
    const { runId, status, endedAt } = this.#notes;
    if (runId === undefined || status === undefined) return [];
    const episode = composeEpisode(this.#notes, options);
    return [
      {
        tier: 'episodic',
        id: shortId(`${runId}/episode`),
        text: describeEpisode(episode),
        provenance: { at: endedAt, run: runId },
        episode,
      },
      ...listFacts(this.#notes, runId, Math.max(0, options.mostFacts ?? 100)),
    ];
  }
}

/** The facts found last, in the order in which they came. */
function listFacts(notes: Notes, runId: string, mostFacts: number): MemoryRecord[] {
  const isSound = notes.status === 'verified' || notes.status === 'unverified';
  const facts: MemoryRecord[] = [];
  for (const [id, { value, at }] of [...notes.results].reverse()) {
    if (facts.length >= mostFacts) break;
    const node = notes.nodes.get(id) ?? notes.nodes.get(id.replace(/\[\d+\]$/, ''));
    if (node === undefined || OWN_TOOLS.has(node.tool) || (node.id === notes.output && !isSound)) continue;
    const fact = describeResult(node, value);
    facts.push({
      tier: 'semantic',
      // What is found again is known from the later run, and not twice: copies would crowd other facts out.
      id: `fact/${hashJson(fact.text).slice(0, 32)}`,
      provenance: { at, run: runId, node: id, tool: node.tool },
      ...fact,
    });
  }
  return facts.reverse();
}

interface Notes extends AgentCallNotes {
  runId?: string;
  goal: string;
  status?: string;
  reasons: string[];
  endedAt: number;
  output?: string;
  /** The nodes of every plan of the run; of two with one id the later. */
  readonly nodes: Map<string, PlanNode>;
  shape: string;
  readonly failures: Map<string, Episode['failures'][number]>;
  replans: number;
  tokens: number;
  toolCalls: number;
}

function takeNote(notes: Notes, event: RunEvent): void {
  noteAgentCall(notes, event, describeMessage);
  if (isEvent(event, 'run.started')) {
    notes.runId = event.runId;
    notes.goal = event.goal;
  } else if (isEvent(event, 'plan.accepted')) {
    for (const node of event.plan.nodes) notes.nodes.set(node.id, node);
    notes.output = event.plan.output;
    notes.shape = describeShape(event.plan.nodes);
  } else if (isEvent(event, 'replan.started')) {
    notes.replans += 1;
  } else if (isEvent(event, 'model.answered')) {
    const { inputTokens, outputTokens } = event.answer.usage;
    notes.tokens += inputTokens + outputTokens;
  } else if (isEvent(event, 'node.started')) {
    // What an agent does is counted call by call.
    if (event.agent === undefined) notes.toolCalls += 1;
  } else if (isEvent(event, 'call.started')) {
    if (!CHILD_TOOLS.has(event.tool)) notes.toolCalls += 1;
  } else if (isEvent(event, 'call.amended') || (isEvent(event, 'node.amended') && event.by === 'hook')) {
    // A hook gave it other arguments before it was made: it starts once more.
    notes.toolCalls -= 1;
  } else if (isEvent(event, 'node.done')) {
    notes.results.set(event.node, event);
  } else if (isEvent(event, 'node.failed')) {
    const { node, failure } = event;
    const tool = notes.nodes.get(node)?.tool ?? '';
    const message = describeMessage(failure.message);
    const failed = { node, tool, code: failure.code, message };
    notes.failures.set(failureKey(failed), failed);
  } else if (isEvent(event, 'verdict.reached')) {
    notes.reasons = [...event.verdict.reasons];
  } else if (isEvent(event, 'run.finished')) {
    notes.status = event.status;
    notes.endedAt = event.at;
    if (event.status !== 'verified') notes.reasons.push(event.reason);
  } else if (isEvent(event, 'run.interrupted')) {
    notes.status = 'interrupted';
    notes.endedAt = event.at;
  } else if (isEvent(event, 'run.resumed')) {
    delete notes.status;
    notes.reasons = [];
  } else if (isEvent(event, 'run.forked')) {
    takeFork(notes, event);
  }
}

function describeMessage(message: string): string {
  return cutMasked(message, REASON_CHARS);
}

/** What came before is another run's, which remembers it itself; the plan and its results are gone on from. */
function takeFork(notes: Notes, { runId, overrides }: RememberedEvents['run.forked']): void {
  notes.runId = runId;
  notes.goal = overrides.goal ?? notes.goal;
  delete notes.status;
  notes.reasons = [];
  notes.results.clear();
  notes.failures.clear();
  notes.failedCalls.clear();
  notes.replans = 0;
  notes.tokens = 0;
  notes.toolCalls = 0;
}

/** What failed, each once. */
function listFailures({ failures, failedCalls }: Notes): Episode['failures'] {
  const all = [...failedCalls.values(), ...failures.values()];
  return [...new Map(all.map((failed) => [failureKey(failed), failed])).values()];
}

function failureKey({ tool, code, message }: Episode['failures'][number]): string {
  return `${tool} ${code} ${message}`;
}

function composeEpisode(notes: Notes, { costMicroUsd }: RememberOptions): Episode {
  return {
    goal: cutMasked(notes.goal, TEXT_CHARS),
    shape: cutText(notes.shape, TEXT_CHARS),
    failures: listFailures(notes).slice(-MOST_FAILURES),
    status: notes.status ?? '',
    reasons: [...new Set(notes.reasons)]
      .filter((reason) => reason !== '')
      .slice(-MOST_REASONS)
      .map((reason) => cutMasked(reason, REASON_CHARS)),
    replans: notes.replans,
    tokens: notes.tokens,
    toolCalls: notes.toolCalls,
    ...(costMicroUsd === undefined ? {} : { costMicroUsd }),
  };
}

/** The tools of a plan, level by level: `get_population ×3, get_timezone ×3 → aggregate_report`. */
function describeShape(nodes: readonly PlanNode[]): string {
  const levels = new Map<string, number>();
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const waiting = [...nodes];
  // A plan is acyclic, so that each node gets its level; those of the level before are looked up, not walked again.
  while (waiting.length > 0) {
    const node = waiting.at(-1);
    if (node === undefined) break;
    const open = node.deps.filter((dep) => byId.has(dep) && !levels.has(dep));
    if (open.length === 0 || levels.has(node.id)) {
      waiting.pop();
      const below = node.deps.map((dep) => levels.get(dep) ?? -1);
      levels.set(node.id, below.reduce((most, level) => Math.max(most, level), -1) + 1);
    } else {
      for (const dep of open) waiting.push(byId.get(dep) ?? node);
    }
  }
  const counts: Map<string, number>[] = [];
  for (const { id, tool } of nodes) {
    const level = (counts[levels.get(id) ?? 0] ??= new Map<string, number>());
    level.set(tool, (level.get(tool) ?? 0) + 1);
  }
  return counts
    .map((level) => [...level].map(([tool, count]) => (count === 1 ? tool : `${tool} ×${count}`)).join(', '))
    .join(' → ');
}

function describeEpisode({ goal, shape, failures, status, reasons }: Episode): string {
  const failed = failures.map(({ tool, code, message }) => `${tool}: ${message} (${code})`);
  return [
    goal,
    `ended ${status}`,
    ...(failed.length > 0 ? [`failed: ${failed.join('; ')}`] : []),
    ...(reasons.length > 0 ? [`reasons: ${reasons.join('; ')}`] : []),
    ...(shape === '' ? [] : [`plan: ${shape}`]),
  ].join('\n');
}

function describeResult({ tool, args }: PlanNode, value: Json): { text: string; figures?: KeyFigure[] } {
  const result = typeof value === 'string' ? value : canonicalJson(value);
  const call =
    Object.keys(args).length === 0 ? tool : `${tool} ${cutMasked(canonicalJson(args), REASON_CHARS)}`;
  const text = cutMasked(`${call}: ${result}`, TEXT_CHARS);
  // A part of a credential is not known for one: what is kept of figures stands outside of all that is masked.
  const shown = maskSecrets(result.slice(0, LOOKED_CHARS));
  const isShown = (figure: string): boolean =>
    shown.includes(typeof value === 'string' ? figure : JSON.stringify(figure).slice(1, -1));
  const figures = keyFigures(value).filter((figure) => isShown(figure.text));
  return { text, ...(figures.length === 0 ? {} : { figures }) };
}

/** The beginning of a text, masked before it is cut: half a credential is not known for one. */
function cutMasked(text: string, limit: number): string {
  const head = text.slice(0, limit + LONGEST_SECRET_CHARS);
  return cutText(maskSecrets(head) + ' '.repeat(text.length - head.length), limit);
}

/** Ids are bounded; run and node ids together stay within the bound in practice, and are told apart by their end. */
function shortId(id: string): string {
  return id.length <= 200 ? id : id.slice(id.length - 200);
}
