import type { RunOptions } from '../../compose.ts';

type Observer = NonNullable<RunOptions['onEvent']>;

/** An event as a run reports it. */
export type ObservedEvent = Parameters<Observer>[0];

/** The state of the run after that event. */
export type ObservedState = Parameters<Observer>[1];

/** What shows a run while it goes on. */
export interface Progress {
  onEvent(event: ObservedEvent, state: ObservedState): void;
  /** Writes a line for people, such as that the run is being interrupted. */
  note(text: string): void;
  /** Makes room for a question to the person at the terminal until `resume`. */
  pause(): void;
  resume(): void;
  /** Leaves the screen as it should stay. */
  close(): void;
}
