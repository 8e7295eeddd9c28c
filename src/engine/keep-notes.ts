import type { NotesChange } from '../contracts/agent.ts';
import { toFailure } from '../contracts/failure.ts';
import type { EventPayload, FlightEvent } from '../flight/events.ts';
import { changedNotes } from '../run/crew-state.ts';
import type { RunState } from '../run/state.ts';
import type { EnginePorts } from './ports.ts';

/** What an agent changed in its notes. */
interface AgentNotesChange {
  readonly agent: string;
  readonly change: NotesChange;
}

/** Keeps what an agent changed in its notes; that it cannot be kept is logged. */
export async function keepNotes(
  { agents }: Pick<EnginePorts, 'agents'>,
  state: RunState,
  { agent, change }: AgentNotesChange,
  submit: (payload: EventPayload) => void,
): Promise<void> {
  try {
    await agents?.keepMemory?.(change, state);
  } catch (thrown) {
    const message = `its notes could not be kept: ${toFailure(thrown).message}`;
    submit({ type: 'tool.logged', node: agent, message });
  }
}

/** What the process before may have logged of notes and not kept: nothing where it came to its end. */
export function notesInDoubt(events: readonly FlightEvent[], state: RunState): AgentNotesChange[] {
  const last = events.at(-1)?.type;
  return last === 'run.interrupted' || last === 'run.finished' ? [] : changedNotes(state);
}
