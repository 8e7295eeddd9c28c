import type { Embedder, MemoryStore } from '../contracts/memory.ts';
import type { ModelDelta } from '../contracts/model.ts';
import type { JsonSchema } from '../contracts/schema.ts';
import type { Clock, OpenRun, Random, RunStore } from '../contracts/ports.ts';
import type { Hooks } from '../contracts/hooks.ts';
import type { ToolEffect } from '../contracts/tool.ts';
import type { EventOf, FlightEvent } from '../flight/events.ts';
import type { Json } from '../kernel/json.ts';
import type { RunState } from '../run/state.ts';
import type { PrepareOptions } from './prepare.ts';

/** What a run is driven with, whether it is new or taken up. */
export interface DriveOptions {
  /** Where runs are kept: `.orchestrate/runs` by default, null for in memory. */
  readonly runsFolder?: string | null;
  /** Takes the place of `runsFolder`. */
  readonly store?: RunStore<FlightEvent>;
  /** Its abort ends the run gracefully; the log can be taken up again. */
  readonly signal?: AbortSignal;
  /** Called after each event. */
  readonly onEvent?: (event: FlightEvent, state: RunState) => void;
  /** Called with each piece of a streamed answer while it comes; pieces are not logged, and no event. */
  readonly onDelta?: (delta: ModelDelta) => void;
  /** Answers for a person: called once for each call that waits for one. */
  readonly approve?: (question: ApprovalQuestion) => Promise<ApprovalAnswer>;
  /**
   * The questions that `approve` is asked: all by default; with `consent` only whether a call may be made, with `write`
   * only that of calls that are not irreversible. Where others wait the run ends waiting.
   */
  readonly approves?: 'consent' | 'write';
  /**
   * What takes the place of the memory that the task names; null for none. Without it, runs that are kept in no folder
   * have a memory only where the task names its file.
   */
  readonly memory?: { readonly store: MemoryStore; readonly embedder?: Embedder | null } | null;
  /** Holds the keys of providers; the environment of the process by default. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /**
   * Whether goal, prompts, answers, arguments and results go along to the tracer provider of the program that this runs
   * in, where it has one; not by default.
   */
  readonly captureContent?: boolean;
  /** Code of one's own around every call of a tool; the task's own hooks come first. */
  readonly hooks?: Hooks;
  /** Credentials that are masked wherever they would enter the log. */
  readonly secrets?: readonly string[];
  readonly clock?: Clock;
  readonly random?: Random;
}

/** What a run is made from; everything but the task may be left out. */
export interface RunOptions extends PrepareOptions, DriveOptions {
  /** Text of a reviewed plan: it is run exactly, or refused. */
  readonly plan?: string;
  readonly runId?: string;
}

/** A call that waits for a person: whether it may be made, or what became of it. */
export interface ApprovalQuestion extends Pick<
  EventOf<'approval.requested'>,
  'node' | 'tool' | 'args' | 'question' | 'taint' | 'dangers' | 'call'
> {
  readonly effect: ToolEffect;
  /** JSON Schema of the answer that an interactive tool asks for: with `done` it is the `value`. */
  readonly answer?: JsonSchema;
  /** Aborted when it was answered elsewhere, or is no longer asked. */
  readonly signal: AbortSignal;
}

/** What a person says: the call may be made (again), it may not, or it was made and `value` is its result. */
export interface ApprovalAnswer {
  readonly decision: EventOf<'approval.decided'>['decision'];
  readonly by: string;
  readonly reason?: string;
  readonly value?: Json;
  /** Of an agent's call that is approved: so many calls after it are made without asking, irreversible ones excepted. */
  readonly next?: number;
}

/** From where a run goes on, as far as it says what it can call. */
export interface Outset {
  /** The events that were there before the run was taken up; none by default. */
  readonly before?: readonly FlightEvent[];
  /** What taking it up changes. */
  readonly resumed?: Pick<EventOf<'run.resumed'>, 'budget' | 'reopen'>;
  /** Text of the plan that a new run is supplied with. */
  readonly plan?: string;
  /** A new run is a session with an agent. */
  readonly isSession?: boolean;
}

/** The run as it was opened, and what of the options the engine is given. */
export interface OpenedRun extends Outset {
  readonly run: OpenRun<FlightEvent>;
  readonly clock: Clock;
  readonly random: Random;
  /** What is awaited before anything of the run goes on. */
  readonly starts?: Promise<void>;
}

/** Who answers questions while the process lives, as the log says it. */
export function attendanceOf(options: DriveOptions): { attended?: true | 'consent' | 'write' } {
  if (options.approve === undefined) return {};
  return { attended: options.approves ?? true };
}
