import type { Episode, MemoryHit, MemoryProvenance, MemoryRecord } from '../contracts/memory.ts';
import { canonicalJson } from '../kernel/canonical-json.ts';
import { type JsonObject, toPlainJson } from '../kernel/json.ts';

const LATEST_MS = 8.64e15;
/** More figures, or failures, than fit into so many characters would leave a memory no room in any prompt. */
const FIGURE_CHARS = 1500;
const FAILURE_CHARS = 1200;

/** A memory as a model is shown it: how similar it is, where it comes from, what it says. */
export function presentHit({ record, score }: MemoryHit): JsonObject {
  return toPlainJson({
    similarity: Math.round(Math.min(1, Math.max(-1, score || 0)) * 100) / 100,
    from: presentProvenance(record.provenance),
    ...presentContent(record),
  }) as JsonObject;
}

function presentContent(record: MemoryRecord): object {
  if (record.tier === 'episodic') {
    return record.episode === undefined ? { text: record.text } : presentEpisode(record.episode);
  }
  return { text: record.text, ...presentFigures(record) };
}

function presentEpisode(episode: Episode): object {
  const { kept, more } = takeFitting(episode.failures.toReversed(), FAILURE_CHARS);
  return { ...episode, failures: kept.toReversed(), ...(more === 0 ? {} : { moreFailures: more }) };
}

/** The figures of a fact that its text does not hold, as far as there is room for them in a prompt. */
export function presentFigures({
  text,
  figures = [],
}: Extract<MemoryRecord, { readonly tier: 'semantic' }>): {
  readonly figures?: string[];
  readonly moreFigures?: number;
} {
  const missing = figures.filter((figure) => !holdsFigure(text, figure.text)).map(presentFigure);
  if (missing.length === 0) return {};
  const { kept, more } = takeFitting(missing, FIGURE_CHARS);
  return { figures: [...kept], ...(more === 0 ? {} : { moreFigures: more }) };
}

/** The first items that take at most so many characters together, and how many others there are. */
function takeFitting<T extends string | object>(
  items: readonly T[],
  chars: number,
): { readonly kept: readonly T[]; readonly more: number } {
  let used = 0;
  const end = items.findIndex((item) => (used += canonicalJson(toPlainJson(item)).length + 1) > chars);
  const kept = end < 0 ? items : items.slice(0, end);
  return { kept, more: items.length - kept.length };
}

/** Whether a text holds a figure as such: `1.4 MB` is not in `11.4 MB`. */
function holdsFigure(text: string, figure: string): boolean {
  if (figure === '') return true;
  for (let at = text.indexOf(figure); at >= 0; at = text.indexOf(figure, at + figure.length)) {
    const before = text.slice(Math.max(0, at - 2), at);
    const after = text.slice(at + figure.length, at + figure.length + 2);
    if (!/[\p{L}\p{N}][.,]?$/u.test(before) && !/^[.,]?[\p{L}\p{N}]/u.test(after)) return true;
  }
  return false;
}

function presentFigure({
  field,
  text,
}: {
  readonly field?: string | undefined;
  readonly text: string;
}): string {
  return field === undefined ? text : `${field}: ${text}`;
}

function presentProvenance({ at, ...rest }: MemoryProvenance): object {
  return { ...rest, at: new Date(Math.min(at, LATEST_MS)).toISOString() };
}
