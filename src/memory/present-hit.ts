import type { MemoryHit, MemoryProvenance, MemoryRecord } from '../contracts/memory.ts';
import { type JsonObject, toPlainJson } from '../kernel/json.ts';

const LATEST_MS = 8.64e15;

/** A memory as a model is shown it: how similar it is, where it comes from, what it says. */
export function presentHit({ record, score }: MemoryHit): JsonObject {
  return toPlainJson({
    similarity: Math.round(Math.min(1, Math.max(-1, score || 0)) * 100) / 100,
    from: presentProvenance(record.provenance),
    ...presentContent(record),
  }) as JsonObject;
}

function presentContent(record: MemoryRecord): object {
  if (record.tier === 'episodic') return record.episode ?? { text: record.text };
  // Those that the text holds already need no second mention.
  const figures = (record.figures ?? []).filter(({ text }) => !record.text.includes(text));
  return { text: record.text, ...(figures.length === 0 ? {} : { figures: figures.map(presentFigure) }) };
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
