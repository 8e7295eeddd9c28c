import type { MemoryEntry, MemoryHit, MemoryRecord } from '../index.ts';
import { formatAge, formatCost, formatCount, formatTime } from '../views/format-amounts.ts';
import { cutToWidth, toOneLine } from '../views/text-width.ts';
import type { Style } from '../views/style.ts';
import { countOf } from './count-of.ts';

/** How texts of memories are laid out. */
export interface MemoryTextOptions {
  readonly style: Style;
  /** Columns of the terminal; Infinity where nothing is to be cut. */
  readonly width: number;
  readonly nowMs: number;
}

/** Where a memory comes from, for people: `get_population, node pop_tokyo of run r1`. */
export function describeOrigin({ id, provenance: { tool, node, run } }: MemoryRecord): string {
  if (run === undefined) return id.startsWith('summary/') ? 'a summary of earlier ones' : 'told by a person';
  const place = node === undefined ? `run ${run}` : `node ${node} of run ${run}`;
  return toOneLine(tool === undefined ? place : `${tool}, ${place}`);
}

/** How old a memory is, for people. */
export function describeAge({ provenance: { at } }: MemoryRecord, nowMs: number): string {
  return formatAge(nowMs - at);
}

/** The time of a memory, for people; one that no calendar holds is told in milliseconds. */
export function describeTime({ provenance: { at } }: MemoryRecord): string {
  return at <= 8.64e15 ? formatTime(at) : `${at} ms after 1970`;
}

/** A memory that was found, in three lines: its id, why it is here, what it says. */
export function renderHit({ record, score }: MemoryHit, options: MemoryTextOptions): string {
  const { style, width, nowMs } = options;
  const about = [score.toFixed(2), record.tier, describeAge(record, nowMs), describeOrigin(record)];
  return [
    style.bold(toOneLine(record.id)),
    `  ${style.dim(cutToWidth(about.join(' · '), width - 2))}`,
    `  ${cutToWidth(toOneLine(record.text), width - 2)}`,
  ].join('\n');
}

/** A memory as JSON: its record, and of its vector what it is of. */
export function describeEntry({ record, embedding }: MemoryEntry): object {
  if (embedding === undefined) return { ...record, vector: null };
  return { ...record, vector: { model: embedding.model, dimensions: embedding.vector.length } };
}

/** All of a memory, for people. */
export function renderEntry(
  { record, embedding }: MemoryEntry,
  scope: string,
  { style, nowMs }: Pick<MemoryTextOptions, 'style' | 'nowMs'>,
): string {
  const vector =
    embedding === undefined
      ? 'none: it is found by its words'
      : `${embedding.vector.length} dimensions, by ${embedding.model}`;
  const fields: readonly (readonly [string, string])[] = [
    ['id', toOneLine(record.id)],
    ['scope', toOneLine(scope)],
    ['tier', record.tier],
    ['from', describeOrigin(record)],
    ['at', `${describeTime(record)}, ${describeAge(record, nowMs)}`],
    ['vector', vector],
    ...(record.tier === 'episodic' ? episodeFields(record) : figureFields(record)),
  ];
  const lines = fields.map(([name, text]) => `${style.bold(name.padEnd(8))} ${text}`);
  return [...lines, '', ...record.text.split('\n').map(toOneLine)].join('\n');
}

function episodeFields({
  episode,
}: Extract<MemoryRecord, { readonly tier: 'episodic' }>): (readonly [string, string])[] {
  if (episode === undefined) return [];
  const { status, replans, tokens, toolCalls, costMicroUsd } = episode;
  const cost = costMicroUsd === undefined ? [] : [formatCost(costMicroUsd)];
  const spent = [countOf(toolCalls, 'tool call'), `${formatCount(tokens)} tokens`, ...cost];
  return [
    ['status', replans === 0 ? status : `${status}, after ${countOf(replans, 'replan')}`],
    ['spent', spent.join(' · ')],
  ];
}

function figureFields({
  figures = [],
}: Extract<MemoryRecord, { readonly tier: 'semantic' }>): (readonly [string, string])[] {
  return figures.map(({ kind, text, field }, index) => [
    index === 0 ? 'figures' : '',
    toOneLine(`${field === undefined ? '' : `${field}: `}${text} (${kind})`),
  ]);
}
