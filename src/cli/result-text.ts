import type { RunResult } from '../index.ts';
import { countOf } from './count-of.ts';
import { formatCost, formatCount, formatDuration, formatScore } from '../views/format-amounts.ts';
import type { Style } from '../views/style.ts';
import { toOneLine } from '../views/text-width.ts';

/** The ending of a run for people: answer, how it ended, verdict, spend. */
export function renderResult(result: RunResult, style: Style): string {
  return [
    ...answerLines(result, style),
    '',
    `${style.bold('status ')}  ${paintStatus(result, style)} — ${toOneLine(result.reason)}`,
    ...failureLines(result, style),
    ...verdictLines(result, style),
    `${style.bold('spent  ')}  ${describeUsage(result.usage)}`,
    ...inheritedLines(result, style),
    `${style.bold('run    ')}  ${result.runId}${result.folder === null ? '' : style.dim(`  ${result.folder}`)}`,
  ].join('\n');
}

function answerLines({ answer, partial }: RunResult, style: Style): string[] {
  if (answer !== null)
    return ['', forTerminal(typeof answer === 'string' ? answer : JSON.stringify(answer, null, 2))];
  if (partial === undefined || partial.trim() === '') return [];
  return ['', style.yellow('partial result:'), forTerminal(partial)];
}

const STEERING = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/** A text of many lines without characters that would steer a terminal. */
function forTerminal(text: string): string {
  return text.replace(STEERING, '').trimEnd();
}

function paintStatus({ status }: RunResult, style: Style): string {
  switch (status) {
    case 'verified':
    case 'planned':
      return style.green(status);
    case 'unverified':
    case 'waiting':
    case 'interrupted':
    case 'budget':
    case 'indeterminate':
      return style.yellow(status);
    case 'failed':
    case 'rejected':
      return style.red(status);
  }
}

function failureLines({ failure, nodes }: RunResult, style: Style): string[] {
  const failed = nodes.filter(({ error }) => error !== undefined);
  const shown = failed
    .slice(0, 10)
    .map(
      ({ id, tool, state, error }) =>
        `         ${style.red(state)} ${toOneLine(`${id} (${tool}): ${error ?? ''}`)}`,
    );
  const more = failed.length > shown.length ? [`         … and ${failed.length - shown.length} more`] : [];
  return [...(failure === undefined ? [] : failureOf(failure, style)), ...shown, ...more];
}

function failureOf(failure: NonNullable<RunResult['failure']>, style: Style): string[] {
  const problems = failure.details?.['problems'];
  if (!Array.isArray(problems) || problems.length === 0) {
    return [`${style.bold('failure')}  ${failure.code}: ${toOneLine(failure.message)}`];
  }
  // The message lists the problems too, all on one line.
  const isOfFile = failure.code === 'plan_invalid';
  const lines = problems.map(
    (problem) => `         ${describeProblem(isOfFile ? ofFile(problem) : problem)}`,
  );
  return [`${style.bold('failure')}  ${failure.code}`, ...lines];
}

/** A problem of a plan file, with a hint for a person: those of texts are worded for a planner. */
function ofFile(problem: unknown): unknown {
  const { code = '' } = problem as { readonly code?: string };
  const hint = HINTS_OF_FILES[code];
  return hint === undefined ? problem : { ...(problem as object), hint };
}

const HINTS_OF_FILES: Readonly<Record<string, string>> = {
  not_json: 'The file has to hold the plan as one JSON object.',
  truncated_json: 'The file ends before the plan does.',
  ambiguous_json: 'Keep one plan in the file.',
};

/** One problem of a plan on a line: code, node and place, what is wrong, what to do. */
export function describeProblem(problem: unknown): string {
  const { code, node, pointer, message, hint } = problem as Readonly<Record<string, string | undefined>>;
  const place = [node, pointer].filter((part) => part !== undefined && part !== '').map((part) => ` ${part}`);
  return toOneLine(
    `${code ?? ''}${place.join('')}: ${message ?? ''}${hint === undefined ? '' : ` (${hint})`}`,
  );
}

function verdictLines({ verdict }: RunResult, style: Style): string[] {
  if (verdict === null || verdict.tier === 'none') return [];
  const { outcome, tier, checks, score, reasons } = verdict;
  const held = checks.filter(({ ok }) => ok).length;
  const parts = [
    `by ${tier}`,
    ...(checks.length > 0 ? [`${held} of ${checks.length} checks hold`] : []),
    ...(score === undefined ? [] : [`score ${formatScore(score)}`]),
  ];
  const failed = checks.filter(({ ok }) => !ok).map(({ name, message }) => `${name}: ${message}`);
  const why = [...new Set([...failed, ...reasons])].map(
    (reason) => `         ${style.red('✗')} ${toOneLine(reason)}`,
  );
  const paint = outcome === 'pass' ? style.green : style.red;
  return [
    `${style.bold('verdict')}  ${paint(outcome)} (${parts.join(', ')})`,
    ...(outcome === 'pass' ? [] : why),
  ];
}

/** What a fork took over: shown, not charged. */
function inheritedLines({ inherited }: RunResult, style: Style): string[] {
  if (inherited === undefined) return [];
  const { origin, toolCalls, llmCalls, inputTokens, outputTokens } = inherited;
  const amounts = `${countOf(toolCalls, 'tool call')} · ${countOf(llmCalls, 'model call')} · ${formatCount(inputTokens)} + ${formatCount(outputTokens)} tokens`;
  return [style.dim(`         not charged: ${amounts}, spent by ${origin}`)];
}

function describeUsage(usage: RunResult['usage']): string {
  const cost = usage.costUsd === null ? 'cost unknown' : formatCost(usage.costUsd * 1e6);
  const { assumedTokens } = usage;
  const assumed = assumedTokens === undefined ? '' : ` (and ${formatCount(assumedTokens)} assumed)`;
  return [
    countOf(usage.toolCalls, 'tool call'),
    countOf(usage.llmCalls, 'model call'),
    `${formatCount(usage.inputTokens)} + ${formatCount(usage.outputTokens)} tokens${assumed}`,
    cost,
    formatDuration(usage.wallSeconds * 1000),
  ].join(' · ');
}
