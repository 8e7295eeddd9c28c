import type { CheckedOrigin } from '../compose.ts';
import type { CheckedServer } from '../index.ts';
import { firstOf } from '../kernel/first-of.ts';
import { renderTable } from '../views/table.ts';
import type { Arguments } from './command.ts';
import { countOf } from './count-of.ts';
import { type Io, writeLine } from './io.ts';
import { createStyle } from './style.ts';
import { tableOptions } from './table-options.ts';
import { usageError } from './usage-error.ts';

/**
 * Starts the MCP servers of a task and reports each, and what changed in the task's own tools; the answer is 1 where a
 * server cannot be had, or a tool of one changed.
 */
export async function checkServers(args: Arguments, io: Io): Promise<number> {
  const file = args.text('file');
  if (file === undefined)
    throw usageError('--check needs a task file', 'For example: orchestrate tools task.yaml --check');
  const { checkOwnTools, prepare } = await import('../compose.ts');
  const prepared = await prepare({ task: file, flags: args.taskFlags, env: io.env });
  const { live, task } = prepared;
  const runsFolder = args.text('runs-folder');
  const place = runsFolder === undefined ? {} : { runsFolder };
  const isPinned = args.isSet('pin');
  const own = await checkOwnTools(prepared, place, isPinned);
  let servers: readonly CheckedServer[] = [];
  try {
    servers = (await live?.check(place, isPinned)) ?? [];
  } finally {
    await live?.close();
  }
  if (args.isSet('json')) writeLine(io.stdout, JSON.stringify({ servers, own }, null, 2));
  else {
    for (const server of servers) printServer(server, isPinned, io);
    if (servers.length === 0) writeLine(io.stdout, 'The task names no MCP server.');
    for (const origin of own) printOrigin(origin, isPinned, io);
  }
  const isLost = servers.some(
    ({ server, state }) => state !== 'ready' && task.mcp?.[server]?.optional !== true,
  );
  const isChanged = !isPinned && servers.some(({ changes }) => (changes?.changed.length ?? 0) > 0);
  return isLost || isChanged ? 1 : 0;
}

/** A task's own tools belong to whoever runs it: what changed is told, and taken by the next run. */
function printOrigin({ origin, tools, changes }: CheckedOrigin, isPinned: boolean, io: Io): void {
  writeLine(io.stdout, `${origin}: ${countOf(tools.length, 'tool')}`);
  printChanges(changes, isPinned, 'the next run tells of it once more, and takes it as it is now', io);
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
  for (const line of firstOf(quarantined.map(({ tool, reason: why }) => `${tool}: ${why}`)))
    writeLine(io.stdout, `  ${style.red('quarantined')} ${line}`);
  if (changes !== null || state === 'ready')
    printChanges(changes, isPinned, 'look at what changed; --check --pin takes it for what is expected', io);
}

function printChanges(changes: CheckedOrigin['changes'], isPinned: boolean, advice: string, io: Io): void {
  if (changes === null) {
    writeLine(io.stdout, '  pinned for the first time');
    return;
  }
  const style = createStyle(io.stdout, io.env);
  const { changed, added, removed } = changes;
  for (const { tool, parts } of changed)
    writeLine(io.stdout, `  ${style.red('changed')} ${tool}: its ${parts.join(' and ')}`);
  for (const tool of added) writeLine(io.stdout, `  new ${tool}`);
  for (const tool of removed) writeLine(io.stdout, `  gone ${tool}`);
  const count = changed.length + added.length + removed.length;
  if (count === 0) writeLine(io.stdout, '  as it was pinned');
  else if (isPinned) writeLine(io.stdout, '  pinned as it is now');
  else if (changed.length > 0) writeLine(io.stdout, `  ${advice}`);
}
