import type { CheckedServer } from '../index.ts';
import { renderTable } from '../views/table.ts';
import type { Arguments } from './command.ts';
import { countOf } from './count-of.ts';
import { type Io, writeLine } from './io.ts';
import { createStyle } from './style.ts';
import { tableOptions } from './table-options.ts';
import { usageError } from './usage-error.ts';

/** Starts the MCP servers of a task and reports each; the answer is 1 where one cannot be had, or a tool changed. */
export async function checkServers(args: Arguments, io: Io): Promise<number> {
  const file = args.text('file');
  if (file === undefined)
    throw usageError('--check needs a task file', 'For example: orchestrate tools task.yaml --check');
  const { prepare } = await import('../compose.ts');
  const { live, task } = await prepare({ task: file, flags: args.taskFlags, env: io.env });
  const runsFolder = args.text('runs-folder');
  let servers: readonly CheckedServer[] = [];
  try {
    servers = (await live?.check(runsFolder === undefined ? {} : { runsFolder }, args.isSet('pin'))) ?? [];
  } finally {
    await live?.close();
  }
  if (args.isSet('json')) writeLine(io.stdout, JSON.stringify({ servers }, null, 2));
  else if (servers.length === 0) writeLine(io.stdout, 'The task names no MCP server.');
  else for (const server of servers) printServer(server, args.isSet('pin'), io);
  const isLost = servers.some(
    ({ server, state }) => state !== 'ready' && task.mcp?.[server]?.optional !== true,
  );
  const isChanged = !args.isSet('pin') && servers.some(({ changes }) => (changes?.changed.length ?? 0) > 0);
  return isLost || isChanged ? 1 : 0;
}

function printServer(
  { server, state, reason, tools, quarantined, changes }: CheckedServer,
  isPinned: boolean,
  io: Io,
): void {
  const style = createStyle(io.stdout, io.env);
  const shown = state === 'ready' ? style.green(state) : style.red(state);
  writeLine(
    io.stdout,
    `${server}: ${shown}, ${countOf(tools.length, 'tool')}${reason === null ? '' : ` (${reason})`}`,
  );
  if (tools.length > 0) {
    const columns = [
      { title: '  tool' },
      { title: 'effect' },
      { title: 'open world' },
      { title: 'description', giveWay: 1, minWidth: 20 },
    ];
    const rows = tools.map(({ name, effect, openWorld, description }) => [
      `  ${name}`,
      effect,
      openWorld === true ? 'yes' : 'no',
      description,
    ]);
    for (const line of renderTable(columns, rows, tableOptions(io))) writeLine(io.stdout, line);
  }
  for (const { tool, reason: why } of quarantined)
    writeLine(io.stdout, `  ${style.red('quarantined')} ${tool}: ${why}`);
  if (changes === null) {
    if (state === 'ready') writeLine(io.stdout, '  pinned for the first time');
    return;
  }
  const { changed, added, removed } = changes;
  for (const { tool, parts } of changed)
    writeLine(io.stdout, `  ${style.red('changed')} ${tool}: its ${parts.join(' and ')}`);
  for (const tool of added) writeLine(io.stdout, `  new ${tool}`);
  for (const tool of removed) writeLine(io.stdout, `  gone ${tool}`);
  const count = changed.length + added.length + removed.length;
  if (count === 0) writeLine(io.stdout, '  as it was pinned');
  else if (isPinned) writeLine(io.stdout, '  pinned as it is now');
  else if (changed.length > 0)
    writeLine(io.stdout, '  look at what changed; --check --pin takes it for what is expected');
}
