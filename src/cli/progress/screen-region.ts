import type { OutputStream } from '../io.ts';
import { textWidth } from '../../views/text-width.ts';

const HIDE_CURSOR = '\u001b[?25l';
const SHOW_CURSOR = '\u001b[?25h';
/** Terminals that know synchronized output show a frame at once; the others ignore this. */
const BEGIN_FRAME = '\u001b[?2026h';
const END_FRAME = '\u001b[?2026l';

const COLOUR = /\u001b\[[\d;]*m/g;

/**
 * Lines at the bottom of a terminal that are redrawn in place. A frame is one write: the cursor goes up, each line
 * is written over the old one and the rest of it cleared, so that nothing is blank in between.
 */
export class ScreenRegion {
  readonly #stream: OutputStream;
  /** Widths of the lines that stand in the region. */
  #widths: readonly number[] = [];

  constructor(stream: OutputStream) {
    this.#stream = stream;
  }

  /** Puts lasting lines above the region, and these lines, none wider than the terminal, into it. */
  draw(lasting: readonly string[], lines: readonly string[], columns: number): void {
    const body = [...lasting, ...lines].map((line) => `${line}\u001b[K\n`).join('');
    this.#stream.write(`${BEGIN_FRAME}${HIDE_CURSOR}${this.#up(columns)}${body}\u001b[J${END_FRAME}`);
    this.#widths = lines.map((line) => textWidth(line.replace(COLOUR, '')));
  }

  /** Clears the region and gives the cursor back. */
  clear(columns: number): void {
    this.#stream.write(`${this.#up(columns)}\u001b[J${SHOW_CURSOR}`);
    this.#widths = [];
  }

  /** To the first row of the region; a terminal that became narrower has wrapped its lines. */
  #up(columns: number): string {
    const rows = this.#widths.reduce((sum, width) => sum + Math.max(1, Math.ceil(width / columns)), 0);
    return rows > 0 ? `\u001b[${rows}F` : '';
  }
}
