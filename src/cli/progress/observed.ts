import type { FlightEvent, ModelDelta, RunState } from '../../index.ts';

/** What shows a run while it goes on. */
export interface Progress {
  onEvent(event: FlightEvent, state: RunState): void;
  /** Shows an answer while it comes; left out where nobody is there to watch. */
  readonly onDelta?: (delta: ModelDelta) => void;
  /** Writes a line for people, such as that the run is being interrupted. */
  note(text: string): void;
  /** Makes room for a question to the person at the terminal until `resume`. */
  pause(): void;
  resume(): void;
  /** Leaves the screen as it should stay. */
  close(): void;
}
