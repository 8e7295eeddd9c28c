/* What a person types while a run is drawn does nothing to the picture, and the keys for signals do what they always do. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { ask } from '../../../src/cli/ask-person.ts';
import { HeldKeyboard } from '../../../src/cli/progress/held-keyboard.ts';
import { createLiveProgress } from '../../../src/cli/progress/live-progress.ts';
import type { Progress } from '../../../src/cli/progress/observed.ts';
import { createStyle } from '../../../src/cli/style.ts';
import { foldEvents } from '../../../src/run/evolve.ts';
import { treeRun } from '../../support/tree-run.ts';
import { typedTerminal, type TypedTerminal } from '../../support/typed-terminal.ts';
import { openTerminal, type VirtualTerminal } from '../../support/virtual-terminal.ts';

const CTRL_C = '\u0003';
const CTRL_D = '\u0004';
const CTRL_Z = '\u001a';
const CTRL_BACKSLASH = '\u001c';

interface Watched {
  readonly terminal: VirtualTerminal;
  readonly typed: TypedTerminal;
  readonly progress: Progress;
  /** The lines that stand on the screen, once everything has been drawn. */
  readonly lines: () => Promise<string[]>;
  readonly close: () => void;
}

const open: Progress[] = [];
afterEach(() => {
  for (const progress of open.splice(0)) progress.close();
});

/** A run that is drawn in a terminal at which somebody types. */
function watch(rows = 40): Watched {
  const terminal = openTerminal(100, rows);
  let isOpen = true;
  terminal.stream.write('$ orchestrate run\n');
  const typed = typedTerminal((text) => void terminal.stream.write(text.replaceAll('\r', '\n')));
  const keyboard = new HeldKeyboard({ stdin: typed.stdin }, typed.job);
  const progress = createLiveProgress(terminal.stream, createStyle(terminal.stream, {}), {}, keyboard);
  open.push(progress);
  const events = treeRun();
  const until = events.findIndex(({ type }) => type === 'level.started') + 1;
  const state = foldEvents(events.slice(0, until));
  for (const event of events.slice(0, until)) progress.onEvent(event, state);
  const lines = async (): Promise<string[]> => {
    // So long that several frames are drawn, also where the machine is busy.
    const frames = terminal.writes.length + 3;
    await new Promise((resolve) => setTimeout(resolve, 200));
    for (let turns = 0; isOpen && terminal.writes.length < frames && turns < 100; turns++) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return (await terminal.history()).map((line) => line.trimEnd()).filter((line) => line !== '');
  };
  const close = (): void => {
    isOpen = false;
    progress.close();
  };
  return { terminal, typed, progress, lines, close };
}

const heads = (lines: readonly string[]): number => lines.filter((line) => line.includes('pressure')).length;

describe('what is typed while a run is drawn', () => {
  it.each([40, 8])('leaves nothing behind in a terminal of %i rows', async (rows) => {
    const { typed, lines } = watch(rows);
    const before = await lines();
    typed.type('\r');
    typed.type('yes\r');
    typed.type(CTRL_D);
    const after = await lines();
    expect(after).toHaveLength(before.length);
    expect(heads(after)).toBe(1);
    expect(after.join('\n')).not.toContain('yes');
  });

  it('is the terminal’s again at a question, whose answer is read and seen', async () => {
    const { terminal, typed, progress, lines } = watch();
    await lines();
    progress.pause();
    expect(typed.isRaw()).toBe(false);
    const io = { ...terminal.io(), stdin: typed.stdin };
    const answer = ask('Allow it? ', io);
    await nextTurn();
    typed.type('y\r\n');
    expect(await answer).toBe('y');
    progress.resume();
    expect(typed.isRaw()).toBe(true);
    typed.type('\r\r');
    const shown = await lines();
    expect(shown).toContain('Allow it? y');
    expect(heads(shown)).toBe(1);
  });

  it('is the terminal’s again at the end, and after it', async () => {
    const { typed, progress, lines, close } = watch();
    await lines();
    expect(typed.isRaw()).toBe(true);
    close();
    expect(typed.isRaw()).toBe(false);
    expect(typed.stdin.listenerCount('data')).toBe(0);
    progress.close();
    expect(heads(await lines())).toBe(0);
  });

  it('is the terminal’s again where the process ends in a crash, the cursor included', () => {
    const { terminal, typed } = watch();
    const before = terminal.writes.length;
    const listeners = process.listeners('exit').slice(-1);
    for (const listener of listeners) (listener as () => void)();
    expect(typed.isRaw()).toBe(false);
    expect(terminal.writes.slice(before).join('')).toContain('\u001b[?25h');
  });
});

describe('the keys for signals', () => {
  it('interrupt the whole job, and what goes on is still drawn', async () => {
    const { typed, lines } = watch();
    typed.type(CTRL_C);
    await nextTurn();
    expect(typed.sent).toEqual(['SIGINT to job']);
    expect(typed.isRaw()).toBe(true);
    expect(heads(await lines())).toBe(1);
  });

  it('stop the job with the terminal as it was, and draw anew below what stands there afterwards', async () => {
    const { terminal, typed, lines } = watch();
    await lines();
    let wasRaw = true;
    typed.whileStopped = () => {
      wasRaw = typed.isRaw();
      terminal.stream.write('[1]+  Stopped\n$ fg\n');
    };
    typed.type(CTRL_Z);
    await nextTurn();
    expect([wasRaw, typed.sent]).toEqual([false, ['SIGTSTP to job']]);
    expect(typed.isRaw()).toBe(true);
    const shown = await lines();
    expect(heads(shown)).toBe(1);
    const places = ['$ orchestrate run', '[1]+  Stopped', '$ fg'].map((line) => shown.indexOf(line));
    expect(places).toEqual([0, places[1], (places[1] ?? 0) + 1]);
    expect(shown.findIndex((line) => line.includes('pressure'))).toBeGreaterThan(places[2] ?? Infinity);
  });

  it('end the process with the terminal as it was', async () => {
    const { typed, terminal, lines } = watch();
    await lines();
    typed.type(CTRL_BACKSLASH);
    await nextTurn();
    expect(typed.sent).toEqual(['SIGQUIT to job']);
    expect(terminal.writes.join('')).toContain('\u001b[?25h');
  });
});

describe('a process that others stop and continue', () => {
  it('stops with the terminal as it was, and holds it again', () => {
    const { typed } = watch();
    let wasRaw = true;
    typed.whileStopped = () => (wasRaw = typed.isRaw());
    typed.signal('SIGTSTP');
    expect([wasRaw, typed.sent, typed.isRaw()]).toEqual([false, ['SIGTSTP to self'], true]);
  });

  it('leaves the keyboard to whoever has it when it is continued in the background', async () => {
    const { typed, lines } = watch();
    typed.whileStopped = () => (typed.isInForeground = false);
    typed.signal('SIGTSTP');
    expect(typed.isRaw()).toBe(false);
    expect(typed.stdin.listenerCount('data')).toBe(0);
    expect(heads(await lines())).toBe(1);
  });

  it('draws below what stands there where it was stopped without a word', async () => {
    const { terminal, typed, lines } = watch();
    await lines();
    terminal.stream.write('[1]+  Stopped\n$ fg\n');
    typed.signal('SIGCONT');
    expect(typed.isRaw()).toBe(true);
    const shown = await lines();
    expect(shown.findLastIndex((line) => line.includes('pressure'))).toBeGreaterThan(shown.indexOf('$ fg'));
    typed.type('\r');
    expect((await lines()).length).toBe(shown.length);
  });
});

describe('the keyboard', () => {
  it('is held by no job in the background, and by none without a terminal', () => {
    const typed = typedTerminal(() => undefined);
    typed.isInForeground = false;
    const picture = { leave: () => undefined, enter: () => undefined };
    new HeldKeyboard({ stdin: typed.stdin }, typed.job).hold(picture);
    expect(typed.isRaw()).toBe(false);
    typed.isInForeground = true;
    const piped = Object.assign(typed.stdin, { isTTY: false });
    new HeldKeyboard({ stdin: piped }, typed.job).hold(picture);
    expect(typed.isRaw()).toBe(false);
  });

  it('is left alone where the terminal has hung up', () => {
    const typed = typedTerminal(() => undefined);
    const stdin = Object.assign(typed.stdin, {
      setRawMode: () => {
        throw new Error('setRawMode EIO');
      },
    });
    const keyboard = new HeldKeyboard({ stdin }, typed.job);
    keyboard.hold({ leave: () => undefined, enter: () => undefined });
    keyboard.release();
    expect(stdin.listenerCount('data')).toBe(0);
  });
});
