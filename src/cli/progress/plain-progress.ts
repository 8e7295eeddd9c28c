import { type OutputStream, writeLine } from '../io.ts';
import type { Style } from '../../views/style.ts';
import { describeEvent, type EventLine } from './event-line.ts';
import { describeLimits } from './limits-line.ts';
import type { Progress } from './observed.ts';

/** Progress as plain lines, one per notable event, with the seconds since the run began. */
export function createPlainProgress(stream: OutputStream, style: Style): Progress {
  let startedAt: number | null = null;
  return {
    onEvent(event, state) {
      if (startedAt === null) {
        startedAt = event.at;
        writeLine(stream, `${style.bold('run')} ${state.runId}: ${state.task.name}`);
        writeLine(stream, style.dim(describeLimits(state.task)));
      }
      const line = describeEvent(event, state);
      if (line !== null) writeLine(stream, renderEventLine(line, event.at - startedAt, style));
    },
    note: (text) => writeLine(stream, text),
    pause: () => undefined,
    resume: () => undefined,
    close: () => undefined,
  };
}

/** One line: the time since the start, the kind of the event, what it says. */
export function renderEventLine(line: EventLine, elapsedMs: number, style: Style): string {
  const time = `${(elapsedMs / 1000).toFixed(3).padStart(8)}s`;
  return `${style.dim(time)} ${toneOf(line.tone, style)(line.label.padEnd(9))} ${line.text}`;
}

function toneOf(tone: EventLine['tone'], style: Style): (text: string) => string {
  switch (tone) {
    case 'plain':
      return style.cyan;
    case 'good':
      return style.green;
    case 'bad':
      return style.red;
    case 'warn':
      return style.yellow;
  }
}
