import type { AgentOptions, ApprovalQuestion, SessionLine } from '../../index.ts';
import type { Arguments } from '../command.ts';
import type { ChatWishes } from '../commands/chat.ts';
import { type Io, writeLine } from '../io.ts';
import { personOf } from '../person.ts';
import { createStyle } from '../style.ts';
import { usageError } from '../usage-error.ts';
import { chatBase } from './chat-base.ts';
import { ChatLoop, describeEnding } from './chat-loop.ts';
import { ChatNarrator } from './chat-narrator.ts';
import { ChatQuestions } from './chat-questions.ts';
import type { ChatListener, ChatScreen } from './chat-screen.ts';
import { describeResumed, describeSessions, describeUsage, replyAsJson } from './chat-text.ts';
import { openPlainScreen } from './plain-screen.ts';

/** Talks with an agent as the command line asks; the answer is the exit code. */
export async function talk(wishes: ChatWishes, args: Arguments, io: Io): Promise<number> {
  const base = chatBase(wishes, args, io);
  const isLive = isTerminal(wishes, io);
  const listener: ChatListener = {
    onLine: (line) => loop.onLine(line),
    onInterrupt: () => loop.onInterrupt(),
    onEnd: () => loop.onEnd(),
  };
  const style = createStyle(isLive ? io.stdout : io.stderr, io.env);
  const screen = await openScreen(wishes, io, listener, isLive);
  const narrator = new ChatNarrator(screen, style);
  const questions = new ChatQuestions(() => loop.onQuestion());
  const sessions = new KnownSessions(args.text('runs-folder'), (text) =>
    screen.note(style.yellow(`warning: ${text}`)),
  );
  const options: AgentOptions = {
    ...base,
    ...narrator.callbacks,
    authorise: allowing(wishes.continuous, questions.authorise),
    onClarify: questions.clarify,
    by: personOf(io),
  };
  let current = '';
  const loop = new ChatLoop({
    screen,
    questions,
    isPatient: !isLive,
    async open(name) {
      const { createAgent } = await import('../../compose.ts');
      if (name === null) {
        const opened = await createAgent(options);
        current = opened.id;
        if (isLive) screen.note(style.dim(`session ${current}; /help lists the commands`));
        return opened;
      }
      const { tip, named, line } = await sessions.find(name);
      if (tip === current) throw usageError(`this is session ${tip} already`);
      const opened = await createAgent({ ...options, session: tip });
      current = tip;
      for (const text of describeResumed(tip, named, line, opened.pending !== null))
        screen.note(style.dim(text));
      return opened;
    },
    list: async () => {
      const others = (await sessions.list()).filter(({ session }) => session !== current);
      return describeSessions(others, screen.columns);
    },
    onSend: () => {
      narrator.begin();
      screen.status('thinking');
    },
    show(reply) {
      screen.endAnswer();
      if (wishes.isJson) writeLine(io.stdout, JSON.stringify(replyAsJson(reply)));
      else if (reply.answer !== '' && !narrator.hasShown(reply.answer)) screen.answer(reply.answer);
      const ending = describeEnding(reply);
      if (ending !== null) screen.note(style.yellow(ending));
      if (isLive) screen.note(`${style.dim(describeUsage(reply))}\n`);
    },
  });
  if (wishes.message !== null) {
    loop.onLine(wishes.message);
    loop.onEnd();
  }
  const stopListening = onTermination(() => loop.onTerminate());
  try {
    return await loop.run(wishes.resume);
  } finally {
    stopListening();
    screen.close();
    if (current !== '')
      writeLine(io.stderr, `session ${current}; next: orchestrate chat --resume ${current}`);
  }
}

function isTerminal({ message, isJson }: ChatWishes, { stdin, stdout, env }: Io): boolean {
  return (
    message === null && !isJson && stdin.isTTY === true && stdout.isTTY === true && env['TERM'] !== 'dumb'
  );
}

async function openScreen(
  { message, isJson }: ChatWishes,
  io: Io,
  listener: ChatListener,
  isLive: boolean,
): Promise<ChatScreen> {
  if (!isLive) return openPlainScreen(io, listener, { isSilent: isJson, isReading: message === null });
  const { openTerminalScreen } = await import('./terminal-screen.ts');
  const { stdin, stdout, env } = io;
  return openTerminalScreen({ stdin, stdout, env, style: createStyle(stdout, env) }, listener);
}

/** Lets so many calls pass without asking; consent that is given like this ends with the process. */
function allowing(
  count: number,
  ask: (question: ApprovalQuestion) => Promise<string>,
): (question: ApprovalQuestion) => Promise<string> {
  let left = count;
  return (question) => {
    const { effect, taint = [], dangers = [] } = question;
    const isPlain = question.question === 'consent' && effect !== 'irreversible';
    if (left === 0 || !isPlain || taint.length + dangers.length > 0) return ask(question);
    left--;
    return Promise.resolve('y');
  };
}

function onTermination(leave: () => void): () => void {
  const signals = ['SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.on(signal, leave);
  return () => {
    for (const signal of signals) process.off(signal, leave);
  };
}

/** The sessions of a folder of runs, looked up where they are asked for. */
class KnownSessions {
  readonly #runsFolder: string | undefined;
  readonly #warn: (text: string) => void;

  constructor(runsFolder: string | undefined, warn: (text: string) => void) {
    this.#runsFolder = runsFolder;
    this.#warn = warn;
  }

  async list(): Promise<readonly SessionLine[]> {
    const { openSessions } = await import('../../compose.ts');
    const sessions = await openSessions(this.#runsFolder, this.#warn);
    try {
      return await sessions.list();
    } finally {
      sessions.close();
    }
  }

  /** The session that a name means, and the one that goes on with it. */
  async find(name: string): Promise<{ tip: string; named: string; line: SessionLine | undefined }> {
    const { resolveSession, tipOf } = await import('../../compose.ts');
    const lines = await this.list();
    const named = resolveSession(name, lines);
    const tip = tipOf(named, lines);
    return { tip, named, line: lines.find(({ session }) => session === tip) };
  }
}
