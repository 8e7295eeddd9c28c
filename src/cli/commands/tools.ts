import type { ToolSpec } from '../../index.ts';
import { renderTable } from '../../views/table.ts';
import { type Arguments, type Command, SHARED_OPTIONS } from '../command.ts';
import { type Io, writeLine } from '../io.ts';
import { tableOptions } from '../table-options.ts';

interface ToolList {
  readonly tools: readonly ToolSpec[];
  /** Names of the tools that policy withholds. */
  readonly withheld: readonly string[];
}

/** Lists the live catalogue of a task, or the built-in tools. */
export const toolsCommand: Command = {
  positionals: { file: { type: 'string', describe: 'A task file; the built-in tools without one' } },
  options: { ...SHARED_OPTIONS.input, ...SHARED_OPTIONS.json },
  takesTaskFields: true,
  examples: [['orchestrate tools task.yaml --json', 'With the JSON Schemas of arguments and results']],
  async run(args, io) {
    const list = await listTools(args, io);
    if (args.isSet('json')) writeLine(io.stdout, JSON.stringify(list, null, 2));
    else printTools(list, io);
    return 0;
  },
};

async function listTools(args: Arguments, io: Io): Promise<ToolList> {
  const file = args.text('file');
  if (file === undefined) {
    const { builtinTools } = await import('../../index.ts');
    return { tools: (await builtinTools()).map(({ spec }) => spec), withheld: [] };
  }
  const { prepare } = await import('../../compose.ts');
  const { catalogue } = await prepare({ task: file, flags: args.taskFlags, env: io.env });
  return { tools: catalogue.tools, withheld: catalogue.withheld };
}

function printTools({ tools, withheld }: ToolList, io: Io): void {
  const columns = [
    { title: 'name' },
    { title: 'effect' },
    { title: 'cost', align: 'right' as const },
    { title: 'description', giveWay: 1, minWidth: 20 },
  ];
  const rows = tools.map(({ name, effect, costHint, description }) => [
    name,
    effect,
    String(costHint),
    description,
  ]);
  for (const line of renderTable(columns, rows, tableOptions(io))) writeLine(io.stdout, line);
  if (withheld.length > 0) writeLine(io.stdout, `\nWithheld by policy: ${withheld.join(', ')}`);
}
