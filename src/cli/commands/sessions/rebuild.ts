import { type Command, SHARED_OPTIONS } from '../../command.ts';
import { countOf } from '../../count-of.ts';
import { writeLine } from '../../io.ts';
import { withSessions } from '../../session-files.ts';

/** Makes the index of the sessions anew from their logs. */
export const sessionsRebuildCommand: Command = {
  options: { ...SHARED_OPTIONS.runsFolder },
  run: (args, io) =>
    withSessions(args, io, async (sessions) => {
      const count = await sessions.rebuild();
      writeLine(
        io.stdout,
        sessions.path === null
          ? `${countOf(count, 'session')}; better-sqlite3 cannot be loaded here, so there is no index and the logs are read`
          : `${sessions.path}: ${countOf(count, 'session')} from the logs`,
      );
      return 0;
    }),
};
