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
      process.exit(130);
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
