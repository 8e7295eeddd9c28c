/* What a person sees: the bytes go through a terminal emulator, and its screen is looked at. */
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createLiveProgress } from '../../../src/cli/progress/live-progress.ts';
import { ScreenRegion } from '../../../src/cli/progress/screen-region.ts';
import { createStyle } from '../../../src/cli/style.ts';
import type { FlightEvent } from '../../../src/flight/events.ts';
import { evolve, foldEvents } from '../../../src/run/evolve.ts';
import { LOG_START_MS } from '../../support/flight-builder.ts';
import { largeShowcase } from '../../support/large-showcase.ts';
import { treeRun } from '../../support/tree-run.ts';
import { openTerminal } from '../../support/virtual-terminal.ts';

/** A terminal takes its bytes in at the pace of timers, which a loaded machine is late with. */
const LONG_MS = 60_000;
const SIZE = { columns: 60, rows: 12 };

const text = fc.string({
  unit: fc.constantFrom('a', 'b', ' ', '東', '🏙', 'é'),
  minLength: 1,
  maxLength: 25,
});
const frame = fc.record({
  lasting: fc.array(
    text.map((line) => `: ${line}`),
    { maxLength: 2 },
  ),
  lines: fc.array(
    text.map((line) => `| ${line}`),
    { maxLength: SIZE.rows - 1 },
  ),
});

const trimmed = (lines: readonly string[]): string[] => {
  const kept = lines.map((line) => line.trimEnd());
  while (kept.at(-1) === '') kept.pop();
  return kept;
};

describe('the region at the bottom of a terminal', () => {
  it(
    'shows each frame below all lasting lines, whatever stood there before',
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(frame, { minLength: 1, maxLength: 12 }), async (frames) => {
          const terminal = openTerminal(SIZE.columns, SIZE.rows);
          const region = new ScreenRegion(terminal.stream);
          const kept: string[] = [];
          for (const { lasting, lines } of frames) {
            region.draw(lasting, lines, SIZE);
            kept.push(...lasting);
            expect(trimmed(await terminal.history())).toEqual(trimmed([...kept, ...lines]));
          }
          region.clear(SIZE);
          expect(trimmed(await terminal.history())).toEqual(trimmed(kept));
        }),
        { numRuns: 40 },
      );
    },
    LONG_MS,
  );

  it(
    'is the same after the terminal has become narrower or wider',
    async () => {
      const widths = fc.array(fc.tuple(fc.integer({ min: 28, max: 90 }), frame), {
        minLength: 1,
        maxLength: 8,
      });
      await fc.assert(
        fc.asyncProperty(widths, async (steps) => {
          const terminal = openTerminal(SIZE.columns, 30);
          const region = new ScreenRegion(terminal.stream);
          region.draw([], ['| first', '| second'], { columns: SIZE.columns, rows: 30 });
          const kept: string[] = [];
          for (const [columns, { lasting, lines }] of steps) {
            await terminal.resize(columns, 30);
            region.draw(lasting, lines, { columns, rows: 30 });
            kept.push(...lasting);
            const shown = trimmed(await terminal.history()).slice(-(kept.length + lines.length));
            expect(trimmed(shown)).toEqual(trimmed([...kept, ...lines]));
          }
        }),
        { numRuns: 40 },
      );
    },
    LONG_MS,
  );

  it('writes to the rows that changed and to no other', async () => {
    const terminal = openTerminal(SIZE.columns, SIZE.rows);
    const region = new ScreenRegion(terminal.stream);
    const draw = async (...lines: string[]): Promise<number[]> => {
      region.draw([], lines, SIZE);
      return terminal.touched();
    };
    expect(await draw('one', 'two', 'three', 'four')).toEqual([0, 1, 2, 3]);
    expect(await draw('one', 'two', 'three', 'four')).toEqual([]);
    expect(await draw('one', '2', 'three', '4')).toEqual([1, 3]);
    expect(await draw('one', '2', 'three', '4', 'five')).toEqual([4]);
    expect(await draw('1', '2')).toEqual([0]);
    const writes = terminal.writes.length;
    await draw('1', '2');
    expect(terminal.writes).toHaveLength(writes);
  });
});

describe('live progress in a terminal', () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: LOG_START_MS, toFake: ['Date', 'performance', 'setTimeout', 'clearTimeout'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  // What is set within a timer is due a millisecond later.
  const runTimers = (): void => void vi.advanceTimersByTime(1);

  /** Plays a run in its own time; after each step `look` may look at the screen. */
  async function play(
    events: readonly FlightEvent[],
    terminal: ReturnType<typeof openTerminal>,
    look: (index: number) => Promise<void>,
  ): Promise<void> {
    const style = createStyle(terminal.stream, {});
    const progress = createLiveProgress(terminal.stream, style, {});
    const state = foldEvents(events.slice(0, 1));
    for (const [index, event] of events.entries()) {
      vi.advanceTimersByTime(Math.max(0, event.at - Date.now()));
      if (index > 0) evolve(state, event);
      progress.onEvent(event, state);
      await look(index);
    }
    progress.close();
  }

  it('shows the tree, grows with it, and leaves only the lasting lines', async () => {
    const terminal = openTerminal(100, 30, runTimers);
    const seen: string[] = [];
    await play(treeRun(), terminal, async () => {
      seen.push((await terminal.screen()).join('\n'));
    });
    expect(
      seen.some((screen) => /├─ [⠋-⠿] population get_population {2}1 done · 2 running/.test(screen)),
    ).toBe(true);
    expect(seen.at(-1)).toMatch(/pressure █+┃█*░*┃░* 75 % of toolCalls · mode economy/);
    const left = trimmed(await terminal.history());
    expect(left.join('\n')).toContain('publish waits for a person: get_rents');
    expect(left.join('\n')).not.toContain('├─');
  });

  it('touches only what turns between two events, never the lines above the region', async () => {
    const terminal = openTerminal(100, 40, runTimers);
    terminal.stream.write('$ orchestrate run\n');
    const events = treeRun();
    const until = events.findIndex(({ type }) => type === 'retry.scheduled');
    await play(events.slice(0, until + 1), terminal, async (index) => {
      if (index < until) return;
      vi.advanceTimersByTime(100);
      await terminal.touched();
      const screen = await terminal.screen();
      vi.advanceTimersByTime(100);
      const touched = await terminal.touched();
      const turning = screen.flatMap((line, row) => (/[⠋-⠿]|again in|\$0 ·/.test(line) ? [row] : []));
      expect(touched.length).toBeGreaterThan(0);
      expect(turning).toEqual(expect.arrayContaining(touched));
      expect(screen[0]).toBe('$ orchestrate run');
    });
  });

  it.each([
    [80, 24],
    [40, 10],
    [200, 50],
  ])('stays within a terminal of %i columns and %i rows with 2 000 nodes', async (columns, rows) => {
    const terminal = openTerminal(columns, rows, runTimers);
    const events = largeShowcase(2000);
    await play(events.slice(0, 3000), terminal, async (index) => {
      if (index % 500 !== 499) return;
      vi.advanceTimersByTime(2000);
      const history = await terminal.history();
      const heads = history.filter((line) => line.includes('catalogue-audit'));
      // A frame that was scrolled off would leave a second head behind.
      expect(heads).toHaveLength(1);
      expect((await terminal.screen()).some((line) => line.includes('catalogue-audit'))).toBe(true);
    });
  });

  it('is drawn anew at once when the terminal changes its size', async () => {
    const terminal = openTerminal(100, 30, runTimers);
    const events = treeRun();
    const until = events.findIndex(({ type }) => type === 'retry.scheduled');
    await play(events.slice(0, until + 1), terminal, async (index) => {
      if (index < until) return;
      vi.advanceTimersByTime(100);
      await terminal.resize(40, 10);
      const low = await terminal.screen();
      expect(low.filter((line) => line.includes('pressure'))).toHaveLength(1);
      expect(low.join('\n')).toMatch(/… \d+ more/);
      await terminal.resize(120, 40);
      const high = (await terminal.screen()).filter((line) => line.trim() !== '');
      expect(high.join('\n')).toContain('publish get_rents');
    });
  });
});
