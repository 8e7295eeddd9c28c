import type { OpenRun, RunStore } from '../contracts/ports.ts';
import { systemClock } from '../engine/system-clock.ts';
import type { FlightEvent } from '../flight/events.ts';
import { createMasker } from '../flight/mask.ts';
import { OrchestratorError } from '../kernel/errors.ts';
import { evolve } from '../run/evolve.ts';
import { answerSchema, toPayloads } from './answer.ts';
import { knownSecrets } from './known-secrets.ts';
import { foldRecorded } from './resume-preview.ts';

/**
 * Logs what was posted to a run that is held but not run; the first answer to each question wins. Resolves with all its
 * events when they are durable. Credentials that `env` holds for the task are masked.
 */
export async function logPosted(
  run: OpenRun<FlightEvent>,
  env: Readonly<Record<string, string | undefined>> = process.env,
): Promise<readonly FlightEvent[]> {
  const events = [...run.events];
  await run.takeInbox(async (posted) => {
    const state = foldRecorded(events);
    const mask = createMasker(knownSecrets(state.task, env));
    for (const value of posted) {
      const answer = answerSchema.safeParse(value);
      if (!answer.success) continue;
      for (const payload of toPayloads(state, mask(answer.data), true)) {
        const event = { seq: state.lastSeq + 1, at: systemClock.now(), ...payload } as FlightEvent;
        run.log.append(event);
        evolve(state, event);
        events.push(event);
      }
    }
    await run.log.whenDurable(state.lastSeq);
  });
  return events;
}

/** The run where nobody holds it, else null. */
export async function openFree(
  store: RunStore<FlightEvent>,
  runId: string,
): Promise<OpenRun<FlightEvent> | null> {
  try {
    return await store.open(runId);
  } catch (error) {
    if (error instanceof OrchestratorError && error.code === 'run_locked') return null;
    throw error;
  }
}
