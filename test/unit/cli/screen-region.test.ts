import { describe, expect, it } from 'vitest';
import { ScreenRegion } from '../../../src/cli/progress/screen-region.ts';

/** What a terminal of so many columns shows after these bytes; only what the region uses is understood. */
function createTerminal(columns: number) {
  let rows: string[] = [''];
  let [row, isCursorHidden] = [0, false];
  let columnsNow = columns;
  const write = (bytes: string) => {
    for (const [token] of bytes.matchAll(/\u001b\[\??\d*[A-Za-z]|\n|[^\u001b\n]+/g)) {
      if (token === '\n') row += 1;
      else if (token.endsWith('F')) row = Math.max(0, row - Number(token.slice(2, -1)));
      else if (token.endsWith('J')) rows = rows.slice(0, row);
      else if (token === '\u001b[?25l') isCursorHidden = true;
      else if (token === '\u001b[?25h') isCursorHidden = false;
      else if (!token.startsWith('\u001b')) rows[row] = token;
    }
  };
  /** Wraps what stands there, as terminals do when they become narrower. */
  const resize = (to: number) => {
    columnsNow = to;
    const wrapped = rows.flatMap((line) => line.match(new RegExp(`.{1,${columnsNow}}`, 'g')) ?? ['']);
    row += wrapped.length - rows.length;
    rows = wrapped;
  };
  return {
    stream: { write },
    resize,
    rows: () => rows.filter((line) => line !== ''),
    isCursorHidden: () => isCursorHidden,
  };
}

describe('the region at the bottom of a terminal', () => {
  it('is redrawn in place, whether it grows or shrinks, below the lasting lines', () => {
    const terminal = createTerminal(80);
    const region = new ScreenRegion(terminal.stream);
    region.draw([], ['one', 'two'], { columns: 80, rows: 24 });
    expect(terminal.rows()).toEqual(['one', 'two']);
    region.draw(['kept'], ['three', 'four', 'five'], { columns: 80, rows: 24 });
    expect(terminal.rows()).toEqual(['kept', 'three', 'four', 'five']);
    region.draw([], ['six'], { columns: 80, rows: 24 });
    expect(terminal.rows()).toEqual(['kept', 'six']);
    region.clear({ columns: 80, rows: 24 });
    expect(terminal.rows()).toEqual(['kept']);
  });

  it('hides the cursor while it stands and gives it back', () => {
    const terminal = createTerminal(80);
    const region = new ScreenRegion(terminal.stream);
    region.draw([], ['one'], { columns: 80, rows: 24 });
    expect(terminal.isCursorHidden()).toBe(true);
    region.clear({ columns: 80, rows: 24 });
    expect(terminal.isCursorHidden()).toBe(false);
  });

  it('leaves nothing behind when the terminal becomes narrower', () => {
    const terminal = createTerminal(20);
    const region = new ScreenRegion(terminal.stream);
    region.draw([], ['0123456789abcdef', 'second'], { columns: 20, rows: 24 });
    terminal.resize(10);
    region.draw([], ['new', 'lines'], { columns: 10, rows: 24 });
    expect(terminal.rows()).toEqual(['new', 'lines']);
  });

  it('writes each frame at once', () => {
    const writes: string[] = [];
    new ScreenRegion({ write: (text) => writes.push(text) }).draw(['a'], ['b', 'c'], {
      columns: 80,
      rows: 24,
    });
    expect(writes).toHaveLength(1);
  });
});
