import { type Io, type OutputStream, sizeOf } from '../io.ts';
import type { Style } from '../../views/style.ts';
import { describeEvent } from './event-line.ts';
import type { Keyboard } from './held-keyboard.ts';
import { describeLimits } from './limits-line.ts';
import type { RunState } from '../../index.ts';
import { AnswerTails } from './answer-tails.ts';
import { NodeTimes } from './node-times.ts';
import type { Progress } from './observed.ts';
import { renderEventLine } from './plain-progress.ts';
import { renderFrame } from './progress-frame.ts';
import { ScreenRegion } from './screen-region.ts';

const FRAME_MS = 80;

/**
 * Progress as a picture that is redrawn in place, with lines that stay above it for what should not be missed. While it
 * stands the keyboard is held, where one is given.
 */
export function createLiveProgress(
  stream: OutputStream,
  style: Style,
  env: Io['env'],
  keyboard?: Keyboard,
): Progress {
  const region = new ScreenRegion(stream);
  const times = new NodeTimes();
  const tails = new AnswerTails();
  let lasting: string[] = [];
  let current: RunState | null = null;
  let startedAt = 0;
  let isInterrupting = false;
  let timer: NodeJS.Timeout | null = null;

  const draw = (): void => {
    if (current === null) return;
    // Read at each frame, so that a resized terminal is filled anew.
    const size = sizeOf(stream, env);
    const now = Date.now();
    const context = { style, ...size, now, startedAt, times, tails, isInterrupting };
    region.draw(lasting, renderFrame(current, context), size);
    lasting = [];
  };
  const tick = (): void => {
    const before = performance.now();
    draw();
    // A plan of many thousand nodes is counted at each frame; drawing may take a tenth of the time at most.
    timer = setTimeout(tick, Math.max(FRAME_MS, 10 * (performance.now() - before)));
    timer.unref();
  };
  const stop = (): void => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    stream.off?.('resize', draw);
    process.off('exit', flush);
    keyboard?.release();
  };
  const start = (): void => {
    stream.on?.('resize', draw);
    process.on('exit', flush);
    keyboard?.hold({
      leave: flush,
      enter: () => {
        stop();
        region.forget();
        start();
      },
    });
    tick();
  };
  const flush = (): void => {
    stop();
    draw();
    region.clear(sizeOf(stream, env));
  };

  return {
    onEvent(event, state) {
      times.follow(event);
      tails.follow(event);
      if (current === null) {
        startedAt = event.at;
        lasting.push(style.dim(describeLimits(state.task)));
        current = state;
        start();
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
      if (timer === null) start();
    },
    close: flush,
  };
}
