import type { FlightEvent, RunStore } from '../index.ts';

/** Whether no process runs a run; a log file, or a run that is not there, has none. Asked before its log is read. */
export async function isLeft(store: RunStore<FlightEvent>, run: string): Promise<boolean> {
  try {
    return !(await store.isHeld(await store.resolve(run)));
  } catch {
    return true;
  }
}
