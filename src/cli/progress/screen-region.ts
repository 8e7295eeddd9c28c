import type { OutputStream } from '../io.ts';
import { textWidth } from '../../views/text-width.ts';

const HIDE_CURSOR = '\u001b[?25l';
const SHOW_CURSOR = '\u001b[?25h';
/** Terminals that know synchronized output show a frame at once; the others ignore this. */
const BEGIN_FRAME = '\u001b[?2026h';
const END_FRAME = '\u001b[?2026l';
const CLEAR_BELOW = '\u001b[J';

const COLOUR = /\u001b\[[\d;]*m/g;

/** The size of a terminal. */
export interface ScreenSize {
  readonly columns: number;
  readonly rows: number;
}

/**
 * Lines at the bottom of a terminal that are redrawn in place; the cursor rests in the row below them. A frame is one
 * write that holds the lines that changed and nothing else: each is written over the old one and the rest of its row
 * cleared, so that nothing is blank in between.
 */
export class ScreenRegion {
  readonly #stream: OutputStream;
  #lines: readonly string[] = [];
  #columns = 0;
  #isCursorHidden = false;

  constructor(stream: OutputStream) {
    this.#stream = stream;
  }

  /** Puts lasting lines above the region, and these lines, none wider and fewer than the terminal's, into it. */
  draw(lasting: readonly string[], lines: readonly string[], size: ScreenSize): void {
    const isResized = size.columns !== this.#columns && this.#lines.length > 0;
    const frame = lasting.length > 0 || isResized ? this.#redraw(lasting, lines, size) : this.#change(lines);
    this.#lines = lines;
    this.#columns = size.columns;
    if (frame === '') return;
    const hide = this.#isCursorHidden ? '' : HIDE_CURSOR;
    this.#isCursorHidden = true;
    this.#stream.write(`${BEGIN_FRAME}${hide}${frame}${END_FRAME}`);
  }

  /** Clears the region and gives the cursor back. */
  clear(size: ScreenSize): void {
    this.#stream.write(`${this.#up(size)}${CLEAR_BELOW}${SHOW_CURSOR}`);
    this.#lines = [];
    this.#isCursorHidden = false;
  }

  /** Leaves what stands there to the terminal: the next frame is drawn below it. */
  forget(): void {
    this.#lines = [];
    this.#isCursorHidden = false;
  }

  /** Everything anew: lasting lines push the region down, and a terminal of another width has wrapped it. */
  #redraw(lasting: readonly string[], lines: readonly string[], size: ScreenSize): string {
    const body = [...lasting, ...lines].map((line) => `${line}\u001b[K\n`).join('');
    return `${this.#up(size)}${body}${CLEAR_BELOW}`;
  }

  /** The lines that changed, from the first of them on. */
  #change(lines: readonly string[]): string {
    const before = this.#lines;
    let frame = '';
    /** The row of the region that the cursor is in. */
    let row = before.length;
    for (const [index, line] of lines.entries()) {
      if (index < before.length && before[index] === line) continue;
      if (index < row) frame += `\u001b[${row - index}F`;
      else if (index > row) frame += `\u001b[${index - row}E`;
      frame += `${line}\u001b[K\n`;
      row = index + 1;
    }
    if (lines.length < before.length) {
      if (row > lines.length) frame += `\u001b[${row - lines.length}F`;
      else if (row < lines.length) frame += `\u001b[${lines.length - row}E`;
      return `${frame}${CLEAR_BELOW}`;
    }
    return row < lines.length ? `${frame}\u001b[${lines.length - row}E` : frame;
  }

  /** To the first row of the region; a terminal that became narrower has wrapped its lines. */
  #up({ columns, rows }: ScreenSize): string {
    const height = this.#lines.reduce((sum, line) => {
      const width = textWidth(line.replace(COLOUR, ''));
      return sum + Math.max(1, Math.ceil(width / columns));
    }, 0);
    const most = Math.min(height, rows - 1);
    return most > 0 ? `\u001b[${most}F` : '\r';
  }
}
