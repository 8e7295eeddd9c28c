import { cutText } from '../../../kernel/cut-text.ts';
import { formatTime } from '../../../views/format-amounts.ts';
import { renderTable } from '../../../views/table.ts';
import { toOneLine } from '../../../views/text-width.ts';
import { ASKED_CHARS } from '../../chat/chat-text.ts';
import { type Command, SHARED_OPTIONS } from '../../command.ts';
import { writeLine } from '../../io.ts';
import { readCount } from '../../read-amounts.ts';
import { withSessions } from '../../session-files.ts';
import { createStyle } from '../../style.ts';
import { tableOptions } from '../../table-options.ts';

const COLUMNS = [
  { title: 'session' },
  { title: 'last said' },
  { title: 'exchanges', align: 'right' as const },
  { title: 'state' },
  { title: 'task' },
  { title: 'last question', giveWay: 1 },
];

/** Lists the sessions with agents, the one that was talked to last first. */
export const sessionsListCommand: Command = {
  options: {
    limit: { type: 'string', requiresArg: true, default: '20', describe: 'How many to list; 0 for all' },
    ...SHARED_OPTIONS.json,
    ...SHARED_OPTIONS.runsFolder,
  },
  run: (args, io) =>
    withSessions(args, io, async (sessions) => {
      const limit = readCount(args.text('limit'), '--limit') ?? 0;
      const all = await sessions.list();
      const shown = limit === 0 ? all : all.slice(0, limit);
      if (args.isSet('json')) {
        writeLine(io.stdout, JSON.stringify(shown, null, 2));
        return 0;
      }
      const [first] = shown;
      if (first === undefined) {
        writeLine(io.stdout, 'No sessions here yet.\n\nNext: orchestrate chat');
        return 0;
      }
      const rows = shown.map(({ session, updatedAtMs, exchanges, status, name, lastAsked }) => [
        session,
        formatTime(updatedAtMs),
        String(exchanges),
        status,
        toOneLine(name),
        cutText(toOneLine(lastAsked), ASKED_CHARS),
      ]);
      for (const line of renderTable(COLUMNS, rows, tableOptions(io))) writeLine(io.stdout, line);
      if (shown.length < all.length) {
        const more = `… and ${all.length - shown.length} older (--limit 0 lists all)`;
        writeLine(io.stdout, createStyle(io.stdout, io.env).dim(more));
      }
      writeLine(io.stdout, `\nNext: orchestrate chat --resume ${first.session}`);
      return 0;
    }),
};
