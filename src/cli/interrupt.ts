import { moduleInterruptedError } from '../compose/early-exit.ts';
import type { Io } from './io.ts';
import { reportError } from './report-error.ts';
import { runUnderWay } from './run-under-way.ts';

/** What ends a run from outside. */
export interface Interrupt {
  readonly signal: AbortSignal;
  /** Stops listening. */
  dispose(): void;
}

/**
 * The first SIGINT or SIGTERM aborts the signal, so that the run ends and its log can be taken up again; the second
 * ends the process at once with exit code 130.
 */
export function listenForInterrupt(onFirst: () => void, onSecond: () => void): Interrupt {
  const controller = new AbortController();
  const listener = (): void => {
    if (controller.signal.aborted) {
      onSecond();
      endProcess();
    }
    onFirst();
    controller.abort();
  };
  process.on('SIGINT', listener);
  process.on('SIGTERM', listener);
  return {
    signal: controller.signal,
    dispose: () => {
      process.off('SIGINT', listener);
      process.off('SIGTERM', listener);
    },
  };
}

/** Ends the process with exit code 130 where it is still loading a module and drives no run, after naming the module. */
export function endIfLoading(io: Io): void {
  const error = runUnderWay() === null ? moduleInterruptedError() : null;
  if (error === null) return;
  reportError(error, io, false);
  endProcess();
}

let isEnding = false;

/** Whether an interrupt is what ends the process. */
export function isEndedByInterrupt(): boolean {
  return isEnding;
}

function endProcess(): never {
  isEnding = true;
  process.exit(130);
}

/** Resolves at the first SIGINT or SIGTERM. */
export function untilInterrupted(): Promise<void> {
  return new Promise((resolve) => {
    const interrupt = listenForInterrupt(
      () => {
        interrupt.dispose();
        resolve();
      },
      () => undefined,
    );
  });
}
