/** The run that this process drives, as whatever ends the process from outside of it needs to know it. */
export interface RunUnderWay {
  readonly runId: string;
  readonly runsFolder: string | undefined;
  /** Takes away what is drawn of it, so that something can be written below. */
  leave(): void;
}

let current: RunUnderWay | null = null;

/** Notes which run is driven now; null at its end. */
export function noteRunUnderWay(run: RunUnderWay | null): void {
  current = run;
}

/** The run that is driven now, or null. */
export function runUnderWay(): RunUnderWay | null {
  return current;
}
