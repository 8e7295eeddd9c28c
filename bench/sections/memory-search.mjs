import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runChild } from '../child.mjs';
import { median, medianRatio } from '../measure.mjs';
import { boundedRow, formatNumber } from '../report.mjs';

/**
 * @typedef {import('../children/memory-search.mjs').SearchInput} SearchInput
 * @typedef {import('../children/memory-search.mjs').SearchOutput} SearchOutput
 * @typedef {import('../report.mjs').Row} Row
 */

const PAIRS = fileURLToPath(new URL('../../test/fixtures/memory/paraphrases.json', import.meta.url));

/**
 * Searches in the memory beside other engines, and how well what is meant is found.
 * @param {{ isQuick: boolean }} options
 * @returns {Promise<Row[]>}
 */
export async function measureMemorySearch({ isQuick }) {
  const folder = mkdtempSync(join(tmpdir(), 'sortie-bench-memory-'));
  try {
    /** @type {Row[]} */
    const rows = [];
    for (const size of isQuick ? [1000, 10_000] : [1000, 10_000, 100_000]) {
      rows.push(...(await measureSize(size, join(folder, `${size}.db`), isQuick ? 1 : 3)));
    }
    return [...rows, ...(await measureRetrieval())];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * @param {number} size
 * @param {string} file
 * @param {number} rounds
 * @returns {Promise<Row[]>}
 */
async function measureSize(size, file, rounds) {
  /** @type {(engine: SearchInput['engine'], queries: number) => Promise<SearchOutput>} */
  const run = (engine, queries) => runChild('memory-search', { engine, size, queries, file });
  const built = await run('build', 0);
  /** @type {Record<'sortie' | 'usearch' | 'words' | 'context', SearchOutput[]>} */
  const outputs = { sortie: [], usearch: [], words: [], context: [] };
  for (let round = 0; round < rounds; round += 1) {
    for (const engine of /** @type {(keyof typeof outputs)[]} */ (Object.keys(outputs))) {
      outputs[engine].push(await run(engine, 50));
    }
  }
  const flat = await run('flat', 50);
  const sqliteVec = await run('sqlite-vec', 10);
  /** @param {readonly SearchOutput[]} list */
  const times = (list) => list.map(({ ms }) => ms);
  const [sortie, usearch, words, context] = [outputs.sortie, outputs.usearch, outputs.words, outputs.context];
  const first = median(sortie.map(({ firstMs = NaN }) => firstMs));
  const ratio = medianRatio(times(sortie), times(usearch));
  const detail =
    `${formatNumber(median(times(sortie)))} ms; usearch ${formatNumber(median(times(usearch)))}, ` +
    `flat ${formatNumber(flat.ms)}, sqlite-vec ${formatNumber(sqliteVec.ms)}`;
  const recall = recallOf(sortie[0]?.places ?? [], flat.places ?? []);
  return [
    // Where a search is over within a millisecond the rest of a call is what is measured: there is no target.
    size < 10_000
      ? {
          figure: `${size} memories: search over usearch exact`,
          measured: `${formatNumber(ratio)} × (${detail})`,
        }
      : boundedRow(`${size} memories: search over usearch exact`, ratio, 1.3, { unit: ' ×', detail }),
    {
      figure: `${size} memories: recall of the best 10`,
      measured: formatNumber(recall),
      target: '≥ 0.99',
      isMet: recall >= 0.99,
    },
    {
      figure: `${size} memories: from opening to the first result`,
      measured: `${formatNumber(first)} ms (written in ${formatNumber(built.ms / 1000)} s)`,
    },
    boundedRow(`${size} memories: Jaccard`, median(times(words)), 5, {
      unit: ' ms',
      detail: `first ${formatNumber(median(words.map(({ firstMs = NaN }) => firstMs)))} ms`,
    }),
    size !== 10_000
      ? {
          figure: `${size} memories: recall and context`,
          measured: `${formatNumber(median(times(context)))} ms`,
        }
      : boundedRow(`${size} memories: recall and context`, median(times(context)), 2, {
          unit: ' ms',
          detail: `without embedding; ${formatNumber(median(context.map(({ cpuMs }) => cpuMs)))} of the processor`,
        }),
  ];
}

/**
 * The share of what a flat search finds that was found.
 * @param {readonly number[][]} found
 * @param {readonly number[][]} wanted
 */
function recallOf(found, wanted) {
  let hits = 0;
  let all = 0;
  for (const [query, places] of wanted.entries()) {
    all += places.length;
    hits += places.filter((place) => found[query]?.includes(place)).length;
  }
  return hits / all;
}

/** @returns {Promise<Row[]>} */
async function measureRetrieval() {
  /** @type {import('../children/retrieval.mjs').RetrievalOutput} */
  const { pairs, embedMs, hitAt3 } = await runChild('retrieval', { file: PAIRS });
  return [
    {
      figure: `${pairs} paraphrases: found among the first 3`,
      measured: Object.entries(hitAt3)
        .map(([name, share]) => `${name} ${formatNumber(share)}`)
        .join(', '),
      target: 'vectors > words',
      isMet: hitAt3.vectors > hitAt3.words && hitAt3.fusion >= hitAt3.vectors,
    },
    { figure: 'MiniLM: one sentence', measured: `${formatNumber(embedMs)} ms` },
  ];
}
