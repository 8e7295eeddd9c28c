import { cutToWidth } from '../views/text-width.ts';
import { canRedraw, type Io, sizeOf, writeLine } from './io.ts';
import { ScreenRegion } from './progress/screen-region.ts';
import { createStyle } from './style.ts';

const BAR_COLUMNS = 30;
const FRAME_MS = 80;

/** How far a long command is, told on the error stream. */
export interface MemoryProgress {
  show(done: number, all: number, text: string): void;
  /** A line that stays. */
  note(text: string): void;
  close(): void;
}

/** A bar that is redrawn in place on a terminal; elsewhere a line for each quarter. */
export function createMemoryProgress(label: string, io: Io): MemoryProgress {
  return canRedraw(io.stderr, io.env) ? createBar(label, io) : createLines(label, io);
}

function createBar(label: string, io: Io): MemoryProgress {
  const region = new ScreenRegion(io.stderr);
  const style = createStyle(io.stderr, io.env);
  const size = (): ReturnType<typeof sizeOf> => sizeOf(io.stderr, io.env);
  let drawnAt = 0;
  let line: string | null = null;
  return {
    show(done, all, text) {
      const now = Date.now();
      if (now - drawnAt < FRAME_MS && done < all) return;
      drawnAt = now;
      const filled = Math.round(shareOf(done, all) * BAR_COLUMNS);
      const bar = style.green('█'.repeat(filled)) + style.dim('░'.repeat(BAR_COLUMNS - filled));
      line = `${label} ${bar} ${cutToWidth(text, Math.max(0, size().columns - BAR_COLUMNS - label.length - 3))}`;
      region.draw([], [line], size());
    },
    note: (text) => region.draw([text], line === null ? [] : [line], size()),
    close() {
      if (line !== null) region.clear(size());
      line = null;
    },
  };
}

function createLines(label: string, io: Io): MemoryProgress {
  let told = 0;
  return {
    show(done, all, text) {
      const quarter = Math.floor(shareOf(done, all) * 4);
      if (quarter <= told) return;
      told = quarter;
      writeLine(io.stderr, `${label}: ${quarter * 25} % (${text})`);
    },
    note: (text) => writeLine(io.stderr, text),
    close: () => undefined,
  };
}

function shareOf(done: number, all: number): number {
  return all === 0 ? 1 : Math.min(1, done / all);
}
