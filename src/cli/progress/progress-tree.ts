import { type AgentAtWork, agentsAtWork, countCalls } from '../../views/agents-at-work.ts';
import { formatCount } from '../../views/format-amounts.ts';
import {
  SHOWN_STATES,
  type ShownState,
  shownState,
  STATE_SIGNS,
  type StateCounts,
} from '../../views/page/shown-state.ts';
import type { Style } from '../../views/style.ts';
import { toOneLine } from '../../views/text-width.ts';
import type { RunState } from '../../index.ts';
import { agentBranches, agentNote } from './agent-branches.ts';
import type { AnswerTails } from './answer-tails.ts';
import { groupNodes, type LevelGroup, type ShownNode, sumOf } from './node-groups.ts';
import type { NodeTimes } from './node-times.ts';
import { joinParts, type Part, widthOfParts } from './parts.ts';

/** What the tree shows beside the state. */
export interface TreeContext {
  readonly style: Style;
  readonly columns: number;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly times: NodeTimes;
  /** What models say just now. */
  readonly tails: AnswerTails;
  readonly spinner: string;
}

type Node = RunState['order'][number];
type Call = RunState['openCalls'][number];

/** What goes on below nodes: model calls that are not answered, and agents. */
interface Work {
  readonly calls: ReadonlyMap<string, readonly Call[]>;
  readonly agents: ReadonlyMap<string, AgentAtWork>;
}

interface Branch {
  readonly parts: readonly Part[];
  readonly below: readonly Branch[];
  /** Whose streamed answer stands in the columns that are left. */
  readonly speaker?: string;
}

/** States of which colour and glyph tell; the others are dim. */
export function paintOfState(state: ShownState, style: Style): (text: string) => string {
  switch (state) {
    case 'done':
      return style.green;
    case 'running':
      return style.cyan;
    case 'waiting':
    case 'retrying':
      return style.yellow;
    case 'failed':
    case 'refused':
    case 'cancelled':
      return style.red;
    case 'pending':
    case 'skipped':
    case 'superseded':
      return style.dim;
  }
}

/** Counts of states in words, each in its colour. */
export function countParts(counts: StateCounts, style: Style, separator = ' · '): Part[] {
  return SHOWN_STATES.filter((state) => (counts[state] ?? 0) > 0).flatMap((state, index): Part[] => [
    ...(index === 0 ? [] : [[separator, style.dim] as const]),
    [`${formatCount(counts[state] ?? 0)} ${state}`, paintOfState(state, style)],
  ]);
}

/** The model calls of the run, and its nodes by level with their items and calls, in so many rows at most. */
export function renderTree(state: RunState, rows: number, context: TreeContext): string[] {
  if (rows < 1) return [];
  const work = { calls: openCalls(state), agents: agentsAtWork(state) };
  const own = (work.calls.get('') ?? []).map((call) => callBranch(call, context));
  const below = ({ id }: Node): number => {
    const agent = work.agents.get(id);
    return (work.calls.get(id)?.length ?? 0) + (agent === undefined ? 0 : countCalls(agent));
  };
  const groups = groupNodes(state, rows - own.length, below);
  const branches = [...own, ...groups.map((group) => levelBranch(group, work, context))];
  const lines = flatten(branches, context);
  if (lines.length <= rows) return lines;
  const hidden = lines.length - rows + 1;
  return [
    ...lines.slice(0, rows - 1),
    joinParts([[`  … ${hidden} more`, context.style.dim]], context.columns - 1),
  ];
}

/** Calls that are not answered yet, by the node that they are for; empty for those of the run itself. */
function openCalls(state: RunState): Map<string, Call[]> {
  const calls = new Map<string, Call[]>();
  for (const call of state.calls.values()) {
    if (call.status === 'answered' || call.status === 'refused') continue;
    const known = calls.get(call.node);
    if (known === undefined) calls.set(call.node, [call]);
    else known.push(call);
  }
  return calls;
}

function callBranch(call: Call, { style, now, times, spinner }: TreeContext): Branch {
  const tries: Part[] = call.tries > 1 ? [[` try ${call.tries}`, style.yellow]] : [];
  const name: Part[] = [[toOneLine(call.role)], [` ${toOneLine(call.model)}`.trimEnd(), style.dim]];
  if (call.status === 'running') {
    const key = call.tries > 1 ? `${call.id}#${call.tries}` : call.id;
    const parts: Part[] = [
      [`${spinner} `, style.cyan],
      ...name,
      ...tries,
      seconds(times.runningMs(key, now), style),
    ];
    return { parts, below: [], speaker: call.node === '' ? key : call.node };
  }
  const failure = call.failure === null ? '' : ` ${toOneLine(call.failure.message)}`;
  const again = call.dueAt > now ? [` · again in ${inSeconds(call.dueAt - now)}`] : [];
  const sign = call.failure === null ? STATE_SIGNS.pending : STATE_SIGNS.retrying;
  return {
    parts: [
      [`${sign} `, style.yellow],
      ...name,
      ...tries,
      ...again.map((text): Part => [text, style.yellow]),
      [failure, style.dim],
    ],
    below: [],
  };
}

function levelBranch(group: LevelGroup, work: Work, context: TreeContext): Branch {
  const { style } = context;
  const name = group.first === group.last ? `level ${group.first}` : `levels ${group.first}–${group.last}`;
  const parts: Part[] = [
    signOf(stateOfAll(group.counts), context),
    [name, style.bold],
    ['  '],
    ...countParts(group.counts, style),
  ];
  const below = group.nodes.map((shown) => nodeBranch(shown, work, context));
  return { parts, below: group.nodes.length === 0 ? below : withHidden(below, group.hidden, style) };
}

function nodeBranch(
  { node, items, itemCounts, hiddenItems }: ShownNode,
  work: Work,
  context: TreeContext,
): Branch {
  const { style } = context;
  const agent = work.agents.get(node.id);
  const parts: Part[] = [
    signOf(shownState(node.status), context),
    [toOneLine(node.id)],
    [` ${toOneLine(node.tool.name)}`, style.dim],
    ...(node.items === null ? nodeNotes(node, context) : [['  '] as const, ...countParts(itemCounts, style)]),
    ...(agent === undefined ? [] : [agentNote(agent, style)]),
  ];
  const shown = items.map((item) => nodeBranch(item, work, context));
  const asks = (work.calls.get(node.id) ?? []).map((call) => callBranch(call, context));
  const made = agent === undefined ? [] : agentBranches(agent, context);
  return {
    parts,
    below: [...asks, ...made, ...(items.length === 0 ? [] : withHidden(shown, hiddenItems, style))],
  };
}

function nodeNotes(node: Node, { style, now, times }: TreeContext): Part[] {
  const { attempt, failure } = node;
  const tries: Part[] = attempt > 1 ? [[` attempt ${attempt}`, style.yellow]] : [];
  const why = failure === null ? '' : toOneLine(failure.message);
  switch (shownState(node.status)) {
    case 'running':
      return [...tries, seconds(times.runningMs(node.id, now), style), ...asksPart(node, style)];
    case 'retrying': {
      const when = node.dueAt > now ? `again in ${inSeconds(node.dueAt - now)}` : 'to be tried again';
      return [
        [` attempt ${attempt} failed, ${when}`, style.yellow],
        [why === '' ? '' : `: ${why}`, style.dim],
      ];
    }
    case 'waiting':
      return [[' waits for a person', style.yellow]];
    case 'done':
      return [...tries, seconds(times.lastedMs(node.id), style), ...asksPart(node, style)];
    case 'failed':
    case 'refused':
      return [...tries, [why === '' ? '' : ` ${why}`, style.red]];
    case 'pending':
    case 'cancelled':
    case 'skipped':
    case 'superseded':
      return tries;
  }
}

function asksPart({ asks }: Node, style: Style): Part[] {
  return asks === 0 ? [] : [[asks === 1 ? ' · 1 model call' : ` · ${asks} model calls`, style.dim]];
}

function signOf(state: ShownState, { style, spinner }: TreeContext): Part {
  return [`${state === 'running' ? spinner : STATE_SIGNS[state]} `, paintOfState(state, style)];
}

/** What many nodes are together: what needs attention first. */
function stateOfAll(counts: StateCounts): ShownState {
  const has = (state: ShownState): boolean => (counts[state] ?? 0) > 0;
  const notable: readonly ShownState[] = ['waiting', 'running', 'retrying'];
  const open = notable.find(has);
  if (open !== undefined) return open;
  if (has('pending')) return 'pending';
  return (['failed', 'refused', 'cancelled', 'done', 'skipped'] as const).find(has) ?? 'superseded';
}

function withHidden(below: readonly Branch[], hidden: StateCounts, style: Style): readonly Branch[] {
  const count = sumOf(hidden);
  if (count === 0) return below;
  return [
    ...below,
    { parts: [[`… ${formatCount(count)} more: `, style.dim], ...countParts(hidden, style, ', ')], below: [] },
  ];
}

function seconds(ms: number | null, style: Style): Part {
  return [ms === null ? '' : ` ${inSeconds(ms)}`, style.dim];
}

function inSeconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)}s`;
}

/** The branches as lines, each narrower than the terminal. */
function flatten(branches: readonly Branch[], context: TreeContext, prefix = '  '): string[] {
  const { style, columns, tails } = context;
  return branches.flatMap(({ parts, below, speaker }, index) => {
    const isLast = index === branches.length - 1;
    const lead: Part = [`${prefix}${isLast ? '└─ ' : '├─ '}`, style.dim];
    const row = [lead, ...parts];
    const room = columns - 1 - widthOfParts(row) - 2;
    const said = speaker === undefined || room <= 0 ? '' : tails.endOf(speaker, room);
    const line = joinParts(said === '' ? row : [...row, ['  '], [said, style.dim]], columns - 1);
    return [line, ...flatten(below, context, `${prefix}${isLast ? '   ' : '│  '}`)];
  });
}
