import { type Command, SHARED_OPTIONS } from '../command.ts';
import { writeLine } from '../io.ts';
import { tableOptions } from '../table-options.ts';

/** Puts two runs side by side: plans, results, verdicts, costs. */
export const diffCommand: Command = {
  positionals: {
    a: { type: 'string', describe: 'Id of a run, a unique prefix, or last' },
    b: { type: 'string', describe: 'The run to compare it with' },
  },
  options: { ...SHARED_OPTIONS.json, ...SHARED_OPTIONS.runsFolder },
  async run(args, io) {
    const [{ openRunStore }, { compareRuns, renderComparison }] = await Promise.all([
      import('../../compose.ts'),
      import('../../views/compare-runs.ts'),
    ]);
    const store = openRunStore(args.text('runs-folder'));
    const [a, b] = [await store.read(args.text('a') ?? ''), await store.read(args.text('b') ?? '')];
    const comparison = compareRuns(a, b);
    if (args.isSet('json')) writeLine(io.stdout, JSON.stringify(comparison, null, 2));
    else for (const line of renderComparison(comparison, tableOptions(io))) writeLine(io.stdout, line);
    return 0;
  },
};
