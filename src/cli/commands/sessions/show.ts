import { type Command, SHARED_OPTIONS } from '../../command.ts';
import { widthOf, writeLine } from '../../io.ts';
import { readNamedSession } from '../../session-files.ts';
import { renderSession } from '../../session-text.ts';
import { createStyle } from '../../style.ts';

const PIPED_WIDTH = 160;

/** Shows what was said in a session, and which tools were called. */
export const sessionsShowCommand: Command = {
  positionals: { session: { type: 'string', describe: 'Id of a session, a unique prefix, or last' } },
  options: { ...SHARED_OPTIONS.json, ...SHARED_OPTIONS.runsFolder },
  async run(args, io) {
    const { line, exchanges } = await readNamedSession(args, io);
    if (args.isSet('json')) {
      writeLine(io.stdout, JSON.stringify({ ...line, exchanges }, null, 2));
      return 0;
    }
    const columns = widthOf(io.stdout, io.env, PIPED_WIDTH);
    const style = createStyle(io.stdout, io.env);
    for (const text of renderSession(line, exchanges, { columns, style })) writeLine(io.stdout, text);
    writeLine(
      io.stdout,
      `\nNext: orchestrate chat --resume ${line.session} · orchestrate show ${line.session}`,
    );
    return 0;
  },
};
