/*
 * A conversation with an agent. Owned here: whose turn it is, which lines are messages, commands or answers, and when it
 * ends. Not here: how it is shown (ChatScreen), and how a session is opened.
 */
import type { AgentReply, AgentSession } from '../../index.ts';
import { toOneLine } from '../../views/text-width.ts';
import { type ChatLine, describeChatCommands, readChatLine } from './chat-commands.ts';
import type { ChatQuestions } from './chat-questions.ts';
import type { ChatScreen } from './chat-screen.ts';

/** What a conversation has around it. */
export interface ChatWorld {
  readonly screen: ChatScreen;
  readonly questions: ChatQuestions;
  /** Lines are taken one after the other, each when the one before is answered; else a message interrupts. */
  readonly isPatient: boolean;
  /** Opens a session: a new one, or the tip of the one that is named. */
  open(name: string | null): Promise<AgentSession>;
  /** The sessions that can be gone on with, as lines. */
  list(): Promise<readonly string[]>;
  /** Called where a message is sent. */
  onSend(): void;
  /** Shows what came of a message. */
  show(reply: AgentReply): void;
}

const WAITING = 5;
const INTERRUPTED = 130;
/** An answer that comes faster was written before its question could be read. */
const READING_MS = 150;

/** One conversation, from its first session to its end. */
export class ChatLoop {
  readonly #world: ChatWorld;
  readonly #lines: string[] = [];
  #session: AgentSession | null = null;
  #open = 0;
  /** A session is being opened or closed. */
  #isSwitching = false;
  #isStopping = false;
  /** It is left when what goes on has ended. */
  #isLeaving = false;
  #isEnded = false;
  #hasWarned = false;
  #askedAt = 0;
  #exitCode = 0;
  /** The exit code that it was left with. */
  #left: number | null = null;
  #resolve: (exitCode: number) => void = () => undefined;
  #fail: (error: unknown) => void = () => undefined;

  constructor(world: ChatWorld) {
    this.#world = world;
  }

  /** Talks until the person leaves, or nothing more comes from them; the answer is the exit code. */
  async run(name: string | null): Promise<number> {
    const left = new Promise<number>((resolve, reject) => {
      this.#resolve = resolve;
      this.#fail = reject;
    });
    try {
      await this.#switchTo(name);
      this.#drain();
      return await left;
    } finally {
      this.#left ??= 0;
      await this.#session?.close();
    }
  }

  /** Takes a line of the person. */
  onLine(line: string): void {
    this.#hasWarned = false;
    this.#lines.push(line);
    this.#drain();
  }

  /** Ctrl-C: ends what goes on; where nothing does, or once more, it leaves. */
  onInterrupt(): void {
    const { isPatient, screen } = this.#world;
    if (this.#isStopping || this.#session === null) this.#leave(INTERRUPTED);
    else if (this.#isBusy) {
      this.#stop('signal');
      this.#isLeaving = isPatient;
    } else if (isPatient || this.#hasWarned) this.#leave(isPatient ? INTERRUPTED : 0);
    else {
      this.#hasWarned = true;
      screen.note('Ctrl-C once more leaves; the session is kept.');
    }
  }

  /** A signal wants the process to end: what goes on is left open, to be gone on with. */
  onTerminate(): void {
    this.#leave(INTERRUPTED);
  }

  /** Nothing more comes from the person. */
  onEnd(): void {
    this.#isEnded = true;
    if (this.#world.isPatient) this.#drain();
    else this.#leave(0);
  }

  /** Another question is put, or none. */
  onQuestion(): void {
    const { questions, screen } = this.#world;
    const { current } = questions;
    // It is put once it is said which session it belongs to.
    if (this.#isSwitching || this.#left !== null) return;
    this.#askedAt = Date.now();
    if (current === undefined) screen.prompt('');
    else {
      screen.status(null);
      for (const line of current.lines) screen.note(line);
      screen.prompt(current.prompt);
    }
    this.#drain();
  }

  #leave(exitCode: number): void {
    this.#left ??= exitCode;
    this.#resolve(this.#left);
  }

  get #isBusy(): boolean {
    return this.#open > 0;
  }

  readonly #drain = (): void => {
    if (this.#isLeaving) {
      if (!this.#isBusy) this.#leave(INTERRUPTED);
      return;
    }
    for (;;) {
      const [line] = this.#lines;
      if (this.#isSwitching || this.#session === null || this.#left !== null) return;
      if (line === undefined) break;
      const read = readChatLine(line);
      if (!this.#isDue(read)) return;
      this.#lines.shift();
      this.#obey(read, line);
    }
    if (!this.#isEnded) return;
    if (this.#world.questions.current !== undefined) this.#leave(WAITING);
    else if (!this.#isBusy) this.#leave(this.#exitCode);
  };

  /** Whether a line can be taken now; a patient conversation lets what was said before be answered first. */
  #isDue(line: ChatLine): boolean {
    if (!this.#world.isPatient || !this.#isBusy || line.kind === 'nothing') return true;
    return this.#world.questions.current !== undefined || (line.kind === 'command' && line.name === 'stop');
  }

  #obey(read: ChatLine, line: string): void {
    const { questions, screen } = this.#world;
    if (read.kind === 'nothing') return;
    if (read.kind === 'command') {
      this.#command(read);
      return;
    }
    const { current } = questions;
    if (read.kind === 'unknown') screen.note(read.text);
    else if (current !== undefined) this.#answer(current.answer, line);
    else this.#send(read.text);
  }

  #answer(answer: (text: string) => void, line: string): void {
    if (!this.#world.isPatient && Date.now() - this.#askedAt < READING_MS) {
      this.#world.screen.note('that was written before the question: please answer it');
      return;
    }
    answer(line.trim());
    this.#world.screen.status('going on');
  }

  #command({ name, rest }: Extract<ChatLine, { kind: 'command' }>): void {
    const { screen } = this.#world;
    switch (name) {
      case 'help':
        for (const line of describeChatCommands()) screen.note(line);
        return;
      case 'stop':
        if (this.#isBusy) this.#stop('stop');
        else screen.note('nothing goes on');
        return;
      case 'exit':
        this.#leave(this.#world.isPatient ? this.#exitCode : 0);
        return;
      case 'new':
        this.#change(null);
        return;
      case 'resume':
        if (rest === '') void this.#list();
        else this.#change(rest);
    }
  }

  #send(text: string): void {
    this.#world.onSend();
    if (this.#session !== null) this.#follow(this.#session.run({ message: text }));
  }

  #follow(replying: Promise<AgentReply>): void {
    this.#open++;
    replying
      .then(
        (reply) => {
          this.#open--;
          this.#exitCode = exitCodeOf(reply);
          if (!this.#isBusy) this.#world.screen.status(null);
          this.#world.show(this.#left === null ? reply : leftOpen(reply, this.#left));
        },
        (error: unknown) => {
          this.#open--;
          this.#fail(error);
        },
      )
      .then(this.#drain, this.#fail);
  }

  #stop(by: 'stop' | 'signal'): void {
    this.#isStopping = true;
    this.#world.screen.status('interrupting');
    void this.#session?.interrupt(by).then(() => {
      this.#isStopping = false;
    }, this.#fail);
  }

  async #list(): Promise<void> {
    for (const line of await this.#world.list()) this.#world.screen.note(line);
  }

  #change(name: string | null): void {
    void this.#switchTo(name)
      .catch((error: unknown) => {
        this.#world.screen.note(error instanceof Error ? error.message : String(error));
      })
      .then(this.#drain);
  }

  /** Opens the other session first: where that fails, the conversation goes on with the one that it has. */
  async #switchTo(name: string | null): Promise<void> {
    const before = this.#session;
    this.#isSwitching = true;
    try {
      const session = await this.#world.open(name);
      if (this.#isBusy) await before?.interrupt('stop');
      this.#session = session;
      await before?.close();
      if (session.pending !== null) {
        this.#world.onSend();
        this.#follow(session.pending);
      }
    } finally {
      this.#isSwitching = false;
    }
    if (this.#world.questions.current !== undefined) this.onQuestion();
  }
}

/** What was under way when the conversation was left is not lost: it goes on when the session does. */
function leftOpen(reply: AgentReply, exitCode: number): AgentReply {
  if (reply.status !== 'aborted') return reply;
  const reason = exitCode === WAITING ? 'a person is to be asked, and nobody is there' : 'left';
  return { ...reply, status: 'waiting', reason };
}

function exitCodeOf({ status, reason }: AgentReply): number {
  switch (status) {
    case 'completed':
      return 0;
    case 'waiting':
      return WAITING;
    case 'aborted':
      return INTERRUPTED;
    case 'partial':
      return reason === 'budget' ? 4 : 1;
  }
}

/** What a reply says beside its answer; null where there is nothing to say. */
export function describeEnding({ status, reason }: AgentReply): string | null {
  switch (status) {
    case 'completed':
      return null;
    case 'partial':
      return reason === 'budget'
        ? 'its budget is used up; this is what it has (chat --resume --budget.… goes on with a larger one)'
        : `it stopped before it was done (${toOneLine(reason)}); this is what it has`;
    case 'aborted':
      return 'interrupted; what was half said is not kept';
    case 'waiting':
      return reason === 'left' ? 'what was under way goes on when the session does' : reason;
  }
}
