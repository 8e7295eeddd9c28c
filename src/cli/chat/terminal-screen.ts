/*
 * A conversation in a terminal: what was said scrolls upwards, and at the bottom stand a row for what goes on and the line
 * that the person writes, which can be written at any time. Owned here: the rows at the bottom.
 */
import { createInterface, type Interface } from 'node:readline';
import type { Style } from '../../views/style.ts';
import { cutToWidth, textWidth } from '../../views/text-width.ts';
import { visibleText } from '../../views/page/visible-text.ts';
import { type OutputStream, sizeOf } from '../io.ts';
import type { ChatListener, ChatScreen } from './chat-screen.ts';
import { wrapText } from './wrap-text.ts';

/** Lines that come faster than a person writes were pasted: they are one message. */
const PASTE_MS = 25;
const TICK_MS = 250;
const SPINNER = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const CLEAR_BELOW = '\u001b[J';

/** What a terminal conversation is opened on. */
export interface Terminal {
  readonly stdin: NodeJS.ReadableStream;
  readonly stdout: OutputStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly style: Style;
}

/** Opens the screen of a conversation on a terminal. */
export function openTerminalScreen(terminal: Terminal, listener: ChatListener): ChatScreen {
  return new TerminalScreen(terminal, listener);
}

class TerminalScreen implements ChatScreen {
  readonly isStreaming = true;
  readonly #terminal: Terminal;
  readonly #reader: Interface;
  readonly #listener: ChatListener;
  /** The end of the answer under way that fills no row yet. */
  #partial = '';
  #status: { readonly text: string; readonly since: number } | null = null;
  #question = '';
  /** Rows above the line that the person writes which are drawn anew. */
  #rows = 0;
  #pasted: string[] = [];
  #pasting: NodeJS.Timeout | null = null;
  #ticking: NodeJS.Timeout | null = null;
  #isClosed = false;

  constructor(terminal: Terminal, listener: ChatListener) {
    this.#terminal = terminal;
    this.#listener = listener;
    this.#reader = createInterface({
      input: terminal.stdin,
      output: terminal.stdout as NodeJS.WritableStream,
      terminal: true,
      historySize: 200,
    });
    this.#reader.on('line', (line) => this.#take(line));
    this.#reader.on('SIGINT', () => this.#interrupt());
    this.#reader.on('close', () => {
      if (!this.#isClosed) listener.onEnd();
    });
    this.#draw([]);
  }

  get columns(): number {
    return sizeOf(this.#terminal.stdout, this.#terminal.env).columns - 1;
  }

  delta(text: string): void {
    const { full, rest } = wrapText(this.#partial + visibleText(text), this.columns);
    this.#partial = rest;
    this.#stopTicking();
    this.#status = null;
    this.#draw(full);
  }

  endAnswer(): void {
    const rest = this.#partial;
    this.#partial = '';
    if (rest !== '') this.#draw([rest]);
  }

  answer(text: string): void {
    this.endAnswer();
    this.#draw(visibleText(text).split('\n'));
  }

  note(text: string): void {
    this.endAnswer();
    this.#draw(text.split('\n'));
  }

  status(text: string | null): void {
    this.#status = text === null ? null : { text, since: Date.now() };
    this.#stopTicking();
    if (text !== null) this.#ticking = setInterval(() => this.#draw([]), TICK_MS);
    this.#ticking?.unref();
    this.#draw([]);
  }

  #stopTicking(): void {
    if (this.#ticking !== null) clearInterval(this.#ticking);
    this.#ticking = null;
  }

  prompt(text: string): void {
    this.#question = text;
    this.#draw([]);
  }

  close(): void {
    if (this.#isClosed) return;
    this.endAnswer();
    this.#isClosed = true;
    this.#stopTicking();
    if (this.#pasting !== null) clearTimeout(this.#pasting);
    this.#terminal.stdout.write(`${this.#toTop()}${CLEAR_BELOW}`);
    this.#reader.close();
  }

  /** Puts lasting lines above the rows at the bottom, and those below them anew. */
  #draw(lasting: readonly string[]): void {
    if (this.#isClosed) return;
    const top = this.#toTop();
    const above = this.#rowsAbove();
    this.#rows = above.length;
    const body = [...lasting, ...above].map((line) => `${line}\n`).join('');
    this.#terminal.stdout.write(`${top}${CLEAR_BELOW}${body}`);
    this.#reader.setPrompt(this.#promptText());
    // The cursor is in a fresh row: readline is not to go up to where its line was.
    (this.#reader as Interface & { prevRows: number }).prevRows = 0;
    this.#reader.prompt(true);
  }

  #rowsAbove(): string[] {
    const rows: string[] = [];
    if (this.#partial !== '') rows.push(this.#partial);
    if (this.#status !== null) {
      const { text, since } = this.#status;
      const now = Date.now();
      const spinner = SPINNER[Math.floor(now / TICK_MS) % SPINNER.length] ?? '';
      const seconds = Math.floor((now - since) / 1000);
      const line = cutToWidth(`${spinner} ${text}${seconds > 0 ? ` ${seconds} s` : ''}`, this.columns);
      rows.push(this.#terminal.style.dim(line));
    }
    return rows;
  }

  #promptText(): string {
    return this.#question === '' ? '> ' : `${cutToWidth(this.#question, Math.max(20, this.columns - 20))} `;
  }

  /** Moves to the first of the rows at the bottom. */
  #toTop(): string {
    const up = this.#rows + this.#reader.getCursorPos().rows;
    return up > 0 ? `\r\u001b[${up}A` : '\r';
  }

  /** The line was left by Enter: it is written once more as what was said, above the rows at the bottom. */
  #take(line: string): void {
    const width = textWidth(this.#promptText() + line);
    const { columns } = sizeOf(this.#terminal.stdout, this.#terminal.env);
    const rows = this.#rows + 1 + Math.floor(width / columns);
    this.#terminal.stdout.write(`\u001b[${rows}A\r${CLEAR_BELOW}`);
    this.#rows = 0;
    this.endAnswer();
    const { bold } = this.#terminal.style;
    this.#draw(line.trim() === '' ? [] : [bold(`${this.#question === '' ? '>' : '?'} ${visibleText(line)}`)]);
    this.#pasted.push(line);
    if (this.#pasting !== null) clearTimeout(this.#pasting);
    this.#pasting = setTimeout(() => {
      const text = this.#pasted.join('\n');
      this.#pasted = [];
      this.#pasting = null;
      this.#listener.onLine(text);
    }, PASTE_MS);
  }

  #interrupt(): void {
    // What is half written goes first, as in a shell.
    if (this.#reader.line !== '') {
      this.#reader.write(null, { ctrl: true, name: 'e' });
      this.#reader.write(null, { ctrl: true, name: 'u' });
      return;
    }
    this.#listener.onInterrupt();
  }
}
