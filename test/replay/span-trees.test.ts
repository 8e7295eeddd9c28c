/*
 * The spans of the golden logs, compared with stored ones, a JSON text per line. RECORD_SPANS=1 writes them anew: look
 * at what changed before you keep it.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readFlightFile } from '../../src/flight/file-store.ts';
import { buildSpans } from '../../src/tracer/spans.ts';
import type { Span } from '../../src/tracer/span.ts';

const GOLDEN = 'test/replay/golden';
const STORED = 'test/replay/span-trees';

const logs = readdirSync(GOLDEN)
  .filter((name) => name.endsWith('.jsonl'))
  .map((name) => basename(name, '.jsonl'));
const pathOf = (name: string): string => join(STORED, `${name}.jsonl`);

async function spansOf(name: string): Promise<Span[]> {
  return buildSpans(await readFlightFile(join(GOLDEN, `${name}.jsonl`)));
}

describe.each(logs)('the spans of %s', (name) => {
  it('are the stored ones', async () => {
    const spans = await spansOf(name);
    expect(spans.length).toBeGreaterThan(1);
    if (process.env['RECORD_SPANS'] === '1') {
      writeFileSync(pathOf(name), spans.map((span) => `${JSON.stringify(span)}\n`).join(''));
    }
    if (!existsSync(pathOf(name)))
      throw new Error(`no spans are stored for ${name}: RECORD_SPANS=1 writes them`);
    const stored = readFileSync(pathOf(name), 'utf8').trimEnd().split('\n');
    expect(spans).toEqual(stored.map((line) => JSON.parse(line) as Span));
  });

  it('form a tree in which every span lasts and lies within its parent', async () => {
    const spans = await spansOf(name);
    const byId = new Map(spans.map((span) => [span.spanId, span]));
    expect(byId.size).toBe(spans.length);
    for (const span of spans) {
      expect(span.endMs).toBeGreaterThan(span.startMs);
      const parent = byId.get(span.parentSpanId ?? '');
      if (parent === undefined) {
        expect(span.name).toMatch(/^invoke_agent /);
        continue;
      }
      expect(span.startMs).toBeGreaterThanOrEqual(parent.startMs);
      expect(span.endMs).toBeLessThanOrEqual(parent.endMs);
    }
  });
});

it('has no stored spans without their log', () => {
  const stored = readdirSync(STORED).map((name) => basename(name, '.jsonl'));
  expect(stored.filter((name) => !logs.includes(name))).toEqual([]);
});
