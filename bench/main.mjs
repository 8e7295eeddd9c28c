// Prints a table of figures: measured, target, ok or over. Nothing here is a test: a busy machine shows in the table.
//   npm run bench -- [--only walker,memory,memory-search,durable,makespan,cold,agents] [--quick]
import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { formatTable } from './report.mjs';
import { measureAgents } from './sections/agents.mjs';
import { measureCold } from './sections/cold.mjs';
import { measureDurable } from './sections/durable.mjs';
import { measureMakespan } from './sections/makespan.mjs';
import { measureMemory } from './sections/memory.mjs';
import { measureMemorySearch } from './sections/memory-search.mjs';
import { measureWalker } from './sections/walker.mjs';

const SECTIONS = {
  walker: measureWalker,
  memory: measureMemory,
  'memory-search': measureMemorySearch,
  durable: measureDurable,
  makespan: measureMakespan,
  cold: measureCold,
  agents: measureAgents,
};

const { values } = parseArgs({ options: { only: { type: 'string' }, quick: { type: 'boolean' } } });
const wanted = values.only?.split(',') ?? Object.keys(SECTIONS);
const unknown = wanted.filter((name) => !Object.hasOwn(SECTIONS, name));
if (unknown.length > 0) {
  console.error(`No such section: ${unknown.join(', ')}. There are: ${Object.keys(SECTIONS).join(', ')}.`);
  process.exit(2);
}

/** @type {import('./report.mjs').Row[]} */
const rows = [];
for (const [name, measure] of Object.entries(SECTIONS)) {
  if (!wanted.includes(name)) continue;
  const started = performance.now();
  rows.push(...(await measure({ isQuick: values.quick === true })));
  console.error(`${name}: measured in ${Math.round((performance.now() - started) / 1000)} s`);
}
const [load = 0] = loadavg();
console.log(
  `Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? 'CPU'}, load ${load.toFixed(1)}\n`,
);
console.log(formatTable(rows));
