import type { ToolSpec } from '../../index.ts';
import { renderTable } from '../../views/table.ts';
import { type Arguments, type Command, SHARED_OPTIONS } from '../command.ts';
import { type Io, writeLine } from '../io.ts';
import { tableOptions } from '../table-options.ts';

interface ToolList {
  readonly tools: readonly ToolSpec[];
  /** Names of the tools that policy withholds. */
  readonly withheld: readonly string[];
  /** Names of the MCP servers, whose tools are known when they are asked. */
  readonly servers?: readonly string[];
}

/** Lists the live catalogue of a task, or the built-in tools. */
export const toolsCommand: Command = {
  positionals: { file: { type: 'string', describe: 'A task file; the built-in tools without one' } },
  options: {
    ...SHARED_OPTIONS.input,
    check: {
      type: 'boolean',
      describe:
        'Start the MCP servers of the task and report each; what changed in modules and built-in tools too',
    },
    pin: { type: 'boolean', describe: 'With --check: take all tools as they are now for what is expected' },
    ...SHARED_OPTIONS.json,
    ...SHARED_OPTIONS.runsFolder,
  },
  takesTaskFields: true,
  examples: [
    ['orchestrate tools task.yaml --json', 'With the JSON Schemas of arguments and results'],
    ['orchestrate tools task.yaml --check', 'Servers and tools of your own: how they stand, what changed'],
  ],
  async run(args, io) {
    if (args.isSet('check') || args.isSet('pin')) {
      const { checkServers } = await import('../check-servers.ts');
      return checkServers(args, io);
    }
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
  const { catalogue, task } = await prepare({ task: file, flags: args.taskFlags, env: io.env });
  const servers = task.mcp === undefined ? {} : { servers: Object.keys(task.mcp) };
  return { tools: catalogue.tools, withheld: catalogue.withheld, ...servers };
}

function printTools({ tools, withheld, servers = [] }: ToolList, io: Io): void {
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
  if (servers.length > 0)
    writeLine(io.stdout, `\nMCP servers, not asked without --check: ${servers.join(', ')}`);
}
