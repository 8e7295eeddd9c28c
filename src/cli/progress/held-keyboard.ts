/*
 * The keyboard while a picture is redrawn in place. What is typed is not echoed, since an echo moves the cursor and with
 * it the picture; it is dropped, as what is typed ahead of a question is. The keys that stand for signals send them to
 * the whole job, as the terminal does. At a question, at the end, at a crash and while the process is stopped the
 * terminal is as it was.
 */
import type { Io } from '../io.ts';
import { type Job, processJob } from './job.ts';

/** What is drawn while the keyboard is held. */
interface Picture {
  /** Takes the picture away and lets go of the keyboard, before the process is stopped or killed. */
  leave(): void;
  /** Draws it below what stands there now, and holds the keyboard again. */
  enter(): void;
}

/** Holds the keyboard and gives it back. */
export interface Keyboard {
  /** Has no effect where there is no keyboard, or where it belongs to another job. */
  hold(picture: Picture): void;
  release(): void;
}

const CTRL_C = 0x03;
const CTRL_Z = 0x1a;
const CTRL_BACKSLASH = 0x1c;

const ignore = (): void => undefined;

/** The keyboard of the terminal that input comes from. */
export class HeldKeyboard implements Keyboard {
  readonly #io: Pick<Io, 'stdin'>;
  readonly #job: Job;
  #picture: Picture | null = null;

  constructor(io: Pick<Io, 'stdin'>, job: Job = processJob) {
    this.#io = io;
    this.#job = job;
  }

  hold(picture: Picture): void {
    if (this.#picture !== null) return;
    const { stdin } = this.#io;
    // Whoever changes the terminal from the background is stopped.
    if (stdin.isTTY !== true || stdin.setRawMode === undefined || !this.#job.isInForeground()) return;
    if (!this.#setRaw(true)) return;
    this.#picture = picture;
    stdin.on('data', this.#read);
    stdin.on('error', ignore);
    stdin.resume();
    // A run ends although nobody types.
    stdin.unref?.();
    this.#job.on('SIGTSTP', this.#stop);
    this.#job.on('SIGCONT', this.#goOn);
  }

  release(): void {
    if (this.#picture === null) return;
    this.#letGo();
    this.#setRaw(false);
  }

  #letGo(): void {
    const { stdin } = this.#io;
    this.#picture = null;
    stdin.off('data', this.#read);
    stdin.off('error', ignore);
    stdin.pause();
    stdin.ref?.();
    this.#job.off('SIGTSTP', this.#stop);
    this.#job.off('SIGCONT', this.#goOn);
  }

  /** False where the terminal has hung up. */
  #setRaw(isRaw: boolean): boolean {
    try {
      this.#io.stdin.setRawMode?.(isRaw);
      return true;
    } catch {
      return false;
    }
  }

  readonly #read = (typed: Buffer | string): void => {
    for (const byte of Buffer.from(typed as string)) {
      if (byte === CTRL_C) this.#job.send('SIGINT', 'job');
      else if (byte === CTRL_Z) this.#withdraw('SIGTSTP', 'job');
      else if (byte === CTRL_BACKSLASH) this.#withdraw('SIGQUIT', 'job');
    }
  };

  readonly #stop = (): void => this.#withdraw('SIGTSTP', 'self');

  /** Sends what stops or kills; whoever is still there afterwards goes on. */
  #withdraw(signal: NodeJS.Signals, to: 'job' | 'self'): void {
    const picture = this.#picture;
    if (picture === null) return;
    picture.leave();
    this.release();
    this.#job.send(signal, to);
    picture.enter();
  }

  /** Stopped without a word of it, and continued: whoever had the terminal meanwhile has left it otherwise. */
  readonly #goOn = (): void => {
    const picture = this.#picture;
    if (picture === null) return;
    this.#letGo();
    if (this.#job.isInForeground()) this.#setRaw(false);
    picture.enter();
  };
}
