/*
 * A process of its own for the fault tests: makes one run after the other in a folder (first argument), their ids begin
 * with a name (second), and each is remembered there. Tells on stdout, a line each, `finished N` when the log of a run
 * holds its end, and `returned N` when its memories are kept.
 */
import { writeSync } from 'node:fs';
import { orchestrate } from '../../src/index.ts';
import { byRole } from './composed.ts';
import { echoTool, node, plan } from './core.ts';

const [folder = '', name = ''] = process.argv.slice(2);

for (let run = 1; ; run++) {
  const nodes = Array.from({ length: 4 }, (_value, index) =>
    node(`n${index}`, { args: { value: `moss ${name} ${run} ${index}` } }),
  );
  const { provider } = byRole({ planner: JSON.stringify(plan(...nodes)) });
  await orchestrate({
    task: {
      ...{ name: 'remembering', goal: 'Weigh the moss.', verify: { judge: 'off' } },
      memory: { similarity: 'words' },
    },
    ...{ tools: [echoTool()], provider, runsFolder: folder, runId: `${name}-${run}`, workspace: folder },
    onEvent: ({ type }) => {
      if (type === 'run.finished') writeSync(1, `finished ${run}\n`);
    },
  });
  writeSync(1, `returned ${run}\n`);
}
