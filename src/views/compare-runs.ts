import { canonicalJson } from '../kernel/canonical-json.ts';
import { hashJson } from '../kernel/hash.ts';
import type { Json } from '../kernel/json.ts';
import { formatCost, formatCount, formatDuration, formatScore } from './format-amounts.ts';
import { readRun } from './read-run.ts';
import type { NodeReading, RunReading, RunSource } from './run-reading.ts';
import { PLAIN_STYLE, type Style } from './style.ts';
import { summarizeRun } from './summary.ts';
import { renderTable } from './table.ts';
import { toOneLine } from './text-width.ts';

/** One thing that two runs have, or one of them has; null where it has not. */
interface ComparedRow {
  readonly about: string;
  readonly a: string | null;
  readonly b: string | null;
  readonly isSame: boolean;
}

/** Two runs side by side: what they were, their plans, how each node ended and with which result. */
export interface RunComparison {
  readonly runs: readonly ComparedRow[];
  readonly plan: readonly ComparedRow[];
  readonly nodes: readonly ComparedRow[];
}

const LONGEST_VALUE = 80;

/** Compares two runs; throws `log_corrupt` where a log does not begin with `run.started`. */
export function compareRuns(a: RunSource, b: RunSource): RunComparison {
  const [left, right] = [readRun(a), readRun(b)];
  return {
    runs: compareMaps(factsOf(left), factsOf(right)),
    plan: compareMaps(planOf(left), planOf(right)),
    nodes: compareMaps(endsOf(left), endsOf(right)),
  };
}

function compareMaps(a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): ComparedRow[] {
  return [...new Set([...a.keys(), ...b.keys()])].map((about) => {
    const [left, right] = [a.get(about) ?? null, b.get(about) ?? null];
    return { about, a: left, b: right, isSame: left === right };
  });
}

function factsOf(reading: RunReading): Map<string, string> {
  const summary = summarizeRun(reading);
  const { costMicroUsd, output, reason } = summary;
  return new Map([
    ['run', summary.runId],
    ['goal', toOneLine(summary.goal)],
    ['status', `${summary.status}${reason === null ? '' : `: ${toOneLine(reason)}`}`],
    ['verdict', describeVerdict(summary.verdict)],
    ['result', output === null ? 'none' : shortValue(output)],
    ['tokens', formatCount(summary.tokens)],
    ['model calls', formatCount(summary.modelCalls)],
    ['tool calls', formatCount(summary.toolCalls)],
    ['cost', costMicroUsd === null ? 'unknown' : formatCost(costMicroUsd)],
    ['time', formatDuration(summary.elapsedMs)],
  ]);
}

function describeVerdict(verdict: RunReading['verdict']): string {
  if (verdict === null) return 'none';
  const score = verdict.score === undefined ? '' : `, score ${formatScore(verdict.score)}`;
  return `${verdict.outcome} (${verdict.tier})${score}`;
}

function planOf({ plan }: RunReading): Map<string, string> {
  return new Map(
    (plan?.plan.nodes ?? []).map(({ id, tool, args, deps }) => {
      const after = deps.length === 0 ? '' : ` after ${deps.join(', ')}`;
      return [id, `${tool} ${canonicalJson(args)}${after}`];
    }),
  );
}

function endsOf({ nodes }: RunReading): Map<string, string> {
  return new Map([...nodes].map(([id, node]) => [id, describeEnd(node)]));
}

function describeEnd({ status, value, failure }: NodeReading): string {
  if (status === 'done') return `done ${shortValue(value ?? null)}`;
  return failure === null ? status : `${status} ${failure.code}`;
}

/** A value on one line; one that is cut is told from others by its digest. */
function shortValue(value: Json): string {
  const text = toOneLine(typeof value === 'string' ? value : canonicalJson(value));
  if (text.length <= LONGEST_VALUE) return text;
  return `${text.slice(0, LONGEST_VALUE)}… #${hashJson(value).slice(0, 8)}`;
}

/** The lines of a comparison; of plan and nodes those that differ, and how many are the same. */
export function renderComparison(
  { runs, plan, nodes }: RunComparison,
  options: { readonly width: number; readonly style?: Style },
): string[] {
  const { style = PLAIN_STYLE } = options;
  return [
    ...sideBySide('', runs, options),
    '',
    ...differences('plan', plan, { ...options, style }),
    '',
    ...differences('node', nodes, { ...options, style }),
  ];
}

function differences(
  title: string,
  rows: readonly ComparedRow[],
  options: { readonly width: number; readonly style: Style },
): string[] {
  const differing = rows.filter(({ isSame }) => !isSame);
  const same = rows.length - differing.length;
  if (differing.length === 0) return [`${options.style.bold(title)}: ${same} the same in both`];
  const more = same === 0 ? [] : [options.style.dim(`${same} more are the same in both`)];
  return [...sideBySide(title, differing, options), ...more];
}

function sideBySide(
  title: string,
  rows: readonly ComparedRow[],
  options: { readonly width: number; readonly style?: Style },
): string[] {
  const columns = [{ title }, { title: 'a', giveWay: 1 }, { title: 'b', giveWay: 1 }];
  const cells = rows.map(({ about, a, b }) => [toOneLine(about), toOneLine(a ?? '–'), toOneLine(b ?? '–')]);
  return renderTable(columns, cells, options);
}
