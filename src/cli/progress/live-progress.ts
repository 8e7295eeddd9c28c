import { type Io, type OutputStream, widthOf } from '../io.ts';
import type { Style } from '../../views/style.ts';
import { describeEvent } from './event-line.ts';
import { describeLimits } from './limits-line.ts';
import type { FlightEvent, RunState } from '../../index.ts';
import { AnswerTails } from './answer-tails.ts';
import type { Progress } from './observed.ts';
import { renderEventLine } from './plain-progress.ts';
import { renderFrame } from './progress-frame.ts';
import { ScreenRegion } from './screen-region.ts';

const FRAME_MS = 80;

/** Progress as a picture that is redrawn in place, with lines that stay above it for what should not be missed. */
export function createLiveProgress(stream: OutputStream, style: Style, env: Io['env']): Progress {
  const region = new ScreenRegion(stream);
  const begun = new Map<string, number>();
  const tails = new AnswerTails();
  let lasting: string[] = [];
  let current: RunState | null = null;
  let startedAt = 0;
  let isInterrupting = false;
  let timer: NodeJS.Timeout | null = null;

  const draw = (): void => {
    if (current === null) return;
    // Read at each frame, so that a resized terminal is filled anew.
    const columns = widthOf(stream, env);
    const now = Date.now();
    const lines = renderFrame(current, { style, columns, now, startedAt, begun, tails, isInterrupting });
    region.draw(lasting, lines, columns);
    lasting = [];
  };
  const tick = (): void => {
    const before = performance.now();
    draw();
    // A plan of many thousand nodes is counted at each frame; drawing may take a tenth of the time at most.
    timer = setTimeout(tick, Math.max(FRAME_MS, 10 * (performance.now() - before)));
    timer.unref();
  };
  const flush = (): void => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    draw();
    region.clear(widthOf(stream, env));
  };

  return {
    onEvent(event, state) {
      follow(event, begun);
      tails.follow(event);
      if (current === null) {
        startedAt = event.at;
        lasting.push(style.dim(describeLimits(state.task)));
        current = state;
        tick();
      }
      const line = describeEvent(event, state);
      if (line?.isLasting === true) lasting.push(renderEventLine(line, event.at - startedAt, style));
    },
    onDelta: (delta) => tails.add(delta),
    note(text) {
      isInterrupting = true;
      lasting.push(text);
      draw();
    },
    pause: flush,
    resume: () => {
      if (timer === null) tick();
    },
    close: flush,
  };
}

/** Keeps when what is under way began. */
function follow(event: FlightEvent, begun: Map<string, number>): void {
  if (event.type === 'node.started') begun.set(event.node, event.at);
  else if (event.type === 'model.requested') begun.set(event.key, event.at);
  else if (event.type === 'node.done' || event.type === 'attempt.failed') begun.delete(event.node);
  else if (event.type === 'model.answered' || event.type === 'model.failed') begun.delete(event.key);
}
