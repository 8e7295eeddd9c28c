import { formatTime } from '../../../views/format-amounts.ts';
import { toOneLine } from '../../../views/text-width.ts';
import { type Command, SHARED_OPTIONS } from '../../command.ts';
import { countOf } from '../../count-of.ts';
import { writeLine } from '../../io.ts';
import { readCount } from '../../read-amounts.ts';
import { withSessions } from '../../session-files.ts';
import { createStyle } from '../../style.ts';
import { usageError } from '../../usage-error.ts';

/** Finds what was said in sessions, by its words. */
export const sessionsSearchCommand: Command = {
  positionals: {
    text: { type: 'string', describe: 'Words that all stand in it; the last may be a beginning' },
  },
  options: {
    limit: { type: 'string', requiresArg: true, default: '10', describe: 'How many messages at most' },
    ...SHARED_OPTIONS.json,
    ...SHARED_OPTIONS.runsFolder,
  },
  examples: [['orchestrate sessions search "harbour opens"', 'Messages with both words']],
  run: (args, io) =>
    withSessions(args, io, async (sessions) => {
      const text = args.text('text') ?? '';
      if (!/[\p{L}\p{N}]/u.test(text)) throw usageError(`${JSON.stringify(text)} holds no word to look for`);
      const limit = Math.min(1000, readCount(args.text('limit'), '--limit') ?? 10);
      const hits = await sessions.search(text, limit);
      if (args.isSet('json')) {
        writeLine(io.stdout, JSON.stringify(hits, null, 2));
        return 0;
      }
      const { bold, dim } = createStyle(io.stdout, io.env);
      for (const { session, at, role, text: said } of hits) {
        writeLine(io.stdout, `${bold(session)} ${dim(`${formatTime(at)}  ${role}`)}\n  ${toOneLine(said)}\n`);
      }
      const [best] = hits;
      writeLine(
        io.stdout,
        best === undefined
          ? `nothing like it in ${countOf((await sessions.list()).length, 'session')}`
          : `Next: orchestrate sessions show ${best.session}`,
      );
      return 0;
    }),
};
