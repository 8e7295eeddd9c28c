import { formatTime } from '../../views/format-amounts.ts';
import { renderTable } from '../../views/table.ts';
import { type Command, SHARED_OPTIONS } from '../command.ts';
import { type Io, writeLine } from '../io.ts';
import { describeRuns } from '../run-list.ts';
import { pruneRuns } from '../prune-runs.ts';
import { readAge, readCount } from '../read-amounts.ts';
import { createStyle } from '../style.ts';
import { tableOptions } from '../table-options.ts';
import { usageError } from '../usage-error.ts';

/** Lists the runs, newest first, or removes old ones. */
export const runsCommand: Command = {
  positionals: { action: { type: 'string', choices: ['prune'], describe: 'prune: remove runs' } },
  options: {
    limit: { type: 'string', requiresArg: true, default: '20', describe: 'How many runs to list; 0 for all' },
    keep: { type: 'string', requiresArg: true, describe: 'With prune: keep the newest N runs' },
    'older-than': {
      type: 'string',
      requiresArg: true,
      describe: 'With prune: remove only runs that began before, such as 30d, 12h',
    },
    ...SHARED_OPTIONS.yes,
    ...SHARED_OPTIONS.json,
    ...SHARED_OPTIONS.runsFolder,
  },
  examples: [
    ['orchestrate runs', 'The newest 20 runs'],
    [
      'orchestrate runs prune --keep 50 --older-than 30d',
      'Of all but the newest 50, those older than 30 days',
    ],
  ],
  async run(args, io) {
    const { openRunStore } = await import('../../compose.ts');
    const store = openRunStore(args.text('runs-folder'));
    const keep = readCount(args.text('keep'), '--keep');
    const olderThanMs = readAge(args.text('older-than'), '--older-than');
    if (args.text('action') === 'prune') {
      if (keep === null && olderThanMs === null) {
        throw usageError('what shall be removed?', 'Give --keep N, --older-than 30d, or both.');
      }
      return pruneRuns(store, { keep: keep ?? 0, olderThanMs, isSure: args.isSet('yes') }, io);
    }
    if (keep !== null || olderThanMs !== null) {
      throw usageError('--keep and --older-than belong to `orchestrate runs prune`');
    }
    await listRuns(store, readCount(args.text('limit'), '--limit') ?? 0, args.isSet('json'), io);
    return 0;
  },
};

async function listRuns(
  store: Parameters<typeof describeRuns>[0],
  limit: number,
  isJson: boolean,
  io: Io,
): Promise<void> {
  const ids = await store.list();
  const runs = await describeRuns(store, limit === 0 ? ids : ids.slice(0, limit));
  if (isJson) {
    writeLine(io.stdout, JSON.stringify(runs, null, 2));
    return;
  }
  if (runs.length === 0) {
    writeLine(io.stdout, 'No runs here yet.\n\nNext: orchestrate init · orchestrate run task.yaml');
    return;
  }
  const columns = [{ title: 'run' }, { title: 'status' }, { title: 'began' }, { title: 'task', giveWay: 1 }];
  const rows = runs.map(({ runId, status, startedAt, name }) => [
    runId,
    status,
    startedAt === null ? '' : formatTime(Date.parse(startedAt)),
    name,
  ]);
  for (const line of renderTable(columns, rows, tableOptions(io))) writeLine(io.stdout, line);
  if (runs.length < ids.length)
    writeLine(
      io.stdout,
      createStyle(io.stdout, io.env).dim(`… and ${ids.length - runs.length} older (--limit 0 lists all)`),
    );
  writeLine(io.stdout, `\nNext: orchestrate show ${runs[0]?.runId ?? 'last'}`);
}
