import type { SessionLine, Sessions, TranscribedExchange } from '../index.ts';
import type { Arguments } from './command.ts';
import { type Io, writeLine } from './io.ts';

/** Does something with the sessions of the folder that the command line names. */
export async function withSessions<T>(
  args: Arguments,
  io: Io,
  work: (sessions: Sessions) => Promise<T>,
): Promise<T> {
  const { openSessions } = await import('../compose.ts');
  const sessions = await openSessions(args.text('runs-folder'), (text) => {
    writeLine(io.stderr, `warning: ${text}`);
  });
  try {
    return await work(sessions);
  } finally {
    sessions.close();
  }
}

/** A session with everything that was said in it. */
export interface ReadSession {
  readonly line: SessionLine;
  readonly exchanges: readonly TranscribedExchange[];
}

/** The session that is named by id, unique prefix, or `last`, which is meant where none is named. */
export function readNamedSession(args: Arguments, io: Io): Promise<ReadSession> {
  return withSessions(args, io, async (sessions) => {
    const { openRunStore, readTranscript, resolveSession } = await import('../compose.ts');
    const lines = await sessions.list();
    const session = resolveSession(args.text('session') ?? 'last', lines);
    const events = await openRunStore(args.text('runs-folder')).read(session);
    const line = lines.find((each) => each.session === session) as SessionLine;
    return { line, exchanges: readTranscript(events) };
  });
}
