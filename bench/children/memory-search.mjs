// Searches memories with one engine and says how long a search takes, and which it found. `build` fills the store that
// the engine `sortie` opens.
import { readInput, writeOutput } from '../child.mjs';
import { median } from '../measure.mjs';
import { startTimer } from '../timer.mjs';
import { createTexts, createVectors, DIMENSIONS, searchFlat, vectorAt } from '../memories.mjs';
import { loadMemory } from '../adapters/memory.mjs';

/**
 * @typedef {'build' | 'sortie' | 'words' | 'context' | 'flat' | 'usearch' | 'sqlite-vec'} Engine
 * @typedef {{ engine: Engine, size: number, queries: number, file: string }} SearchInput
 * @typedef {{ ms: number, cpuMs: number, firstMs?: number, places?: number[][] }} SearchOutput median of the searches,
 *   and their mean in processor time; from opening to the first result; what was found
 * @typedef {(query: number) => Promise<number[]>} Search
 */

const LIMIT = 10;
const SCOPE = 'bench';
const MODEL = 'bench';
/** So that what is measured is compiled, as in the other engines from the start. */
const WARM_UPS = 100;

/** @type {SearchInput} */
const { engine, size, queries, file } = readInput();

const { openStore, recall, buildContext } = await loadMemory();
const queryVectors = createVectors(queries + WARM_UPS, 2);
const queryTexts = createTexts(queries + WARM_UPS, 4);

/** @param {number} query */
const queryVector = (query) => vectorAt(queryVectors, query);

const ENGINES = {
  async build() {
    const store = openStore(file);
    const vectors = createVectors(size, 1);
    const texts = createTexts(size, 3);
    for (let first = 0; first < size; first += 1000) {
      const entries = Array.from({ length: Math.min(1000, size - first) }, (_, at) => ({
        record: {
          tier: 'semantic',
          id: String(first + at),
          text: texts[first + at],
          provenance: { at: first + at },
        },
        embedding: { model: MODEL, vector: vectorAt(vectors, first + at) },
      }));
      await store.put(SCOPE, entries);
    }
    await store.close();
    return async () => [];
  },
  async sortie() {
    const store = openStore(file);
    /** @type {Search} */
    const search = async (query) => {
      const embedding = { model: MODEL, vector: queryVector(query) };
      return placesOf(await store.searchByVector({ scope: SCOPE, embedding, limit: LIMIT }));
    };
    return search;
  },
  async words() {
    const store = openStore(file);
    /** @type {Search} */
    const search = async (query) =>
      placesOf(await store.searchByWords({ scope: SCOPE, text: queryTexts[query], limit: LIMIT }));
    return search;
  },
  async context() {
    const store = openStore(file);
    let current = 0;
    const embedder = { model: MODEL, embed: async () => ({ model: MODEL, vector: queryVector(current) }) };
    const working = { goal: 'goal', results: [{ node: 'a', tool: 't', value: 'x'.repeat(500) }] };
    /** @type {Search} */
    const search = async (query) => {
      current = query;
      const found = await recall(queryTexts[query], { store, scope: SCOPE, embedder });
      buildContext(working, found, 4000);
      return [];
    };
    return search;
  },
  async flat() {
    const vectors = createVectors(size, 1);
    /** @type {Search} */
    const search = async (query) => searchFlat(vectors, queryVector(query), LIMIT);
    return search;
  },
  async usearch() {
    const { exactSearch, MetricKind } = (await loadPeer('usearch')).default;
    const vectors = createVectors(size, 1);
    /** @type {Search} */
    const search = async (query) => {
      const { keys } = exactSearch(vectors, queryVector(query), DIMENSIONS, LIMIT, MetricKind.IP);
      return Array.from(/** @type {BigUint64Array} */ (keys), Number);
    };
    return search;
  },
  async 'sqlite-vec'() {
    const { default: Database } = await import('better-sqlite3');
    const { load } = await loadPeer('sqlite-vec');
    const database = new Database(':memory:');
    load(database);
    database.exec(`CREATE VIRTUAL TABLE v USING vec0(embedding float[${DIMENSIONS}] distance_metric=cosine)`);
    const insert = database.prepare('INSERT INTO v (rowid, embedding) VALUES (?, ?)');
    const vectors = createVectors(size, 1);
    database.transaction(() => {
      for (let place = 0; place < size; place += 1) insert.run(BigInt(place), vectorAt(vectors, place));
    })();
    const select = database
      .prepare(`SELECT rowid FROM v WHERE embedding MATCH ? AND k = ${LIMIT} ORDER BY distance`)
      .pluck();
    /** @type {Search} */
    const search = async (query) => /** @type {number[]} */ (select.all(queryVector(query)));
    return search;
  },
};

/** @param {readonly { record: { id: string } }[]} hits */
function placesOf(hits) {
  return hits.map(({ record }) => Number(record.id));
}

const opened = performance.now();
const search = await ENGINES[engine]();
/** @type {SearchOutput} */
const output = { ms: 0, cpuMs: 0, places: [] };
/** @type {number[]} */
const times = [];
for (let turn = 0; turn < queries + WARM_UPS && engine !== 'build'; turn += 1) {
  // The warm-ups come first, and their queries are the last ones.
  const query = turn < WARM_UPS ? queries + turn : turn - WARM_UPS;
  const readTimer = startTimer();
  const places = await search(query);
  const { wallMs, cpuMs } = readTimer();
  if (turn === 0) output.firstMs = performance.now() - opened;
  if (turn < WARM_UPS) continue;
  times.push(wallMs);
  output.cpuMs += cpuMs / queries;
  output.places?.push(places);
}
output.ms = engine === 'build' ? performance.now() - opened : median(times);
writeOutput(output);

/**
 * A package that is installed for the benchmarks alone, and not where the rest is type-checked.
 * @param {string} name
 * @returns {Promise<any>}
 */
function loadPeer(name) {
  return import(name);
}
