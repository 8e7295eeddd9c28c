import { writeFile } from 'node:fs/promises';
import type { Json } from '../../../index.ts';
import { type Command, SHARED_OPTIONS } from '../../command.ts';
import { countOf } from '../../count-of.ts';
import { writeLine } from '../../io.ts';
import { readNamedSession, type ReadSession } from '../../session-files.ts';
import { sessionAsMarkdown } from '../../session-text.ts';
import { usageError } from '../../usage-error.ts';

/** Writes a session as one file, with everything redacted that looks like a credential. */
export const sessionsExportCommand: Command = {
  positionals: { session: { type: 'string', describe: 'Id of a session, a unique prefix, or last' } },
  options: {
    out: { type: 'string', requiresArg: true, describe: 'File to write (default: the standard output)' },
    json: { type: 'boolean', describe: 'JSON with all messages in OpenAI form, instead of Markdown' },
    ...SHARED_OPTIONS.runsFolder,
  },
  examples: [['orchestrate sessions export last --out session.md', 'To hand on what was said']],
  async run(args, io) {
    const { redactSecrets } = await import('../../../compose.ts');
    const { line, exchanges } = await readNamedSession(args, io);
    const { value } = redactSecrets({ line, exchanges } as unknown as Json);
    const redacted = value as unknown as Pick<ReadSession, 'line' | 'exchanges'>;
    const text = args.isSet('json')
      ? `${JSON.stringify({ ...redacted.line, exchanges: redacted.exchanges }, null, 2)}\n`
      : sessionAsMarkdown(redacted.line, redacted.exchanges);
    const out = args.text('out');
    if (out === undefined) {
      writeLine(io.stdout, text);
      return 0;
    }
    try {
      await writeFile(out, text);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw usageError(`--out ${out}: cannot be written (${reason})`, 'Name another file.');
    }
    writeLine(io.stdout, `exported ${line.session}: ${countOf(exchanges.length, 'exchange')}`);
    return 0;
  },
};
