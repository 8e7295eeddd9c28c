import type { Briefing, NotesChange } from '../contracts/agent.ts';
import type { Clock, FlightLog, Memory, Provider, Random } from '../contracts/ports.ts';
import type { ChildGroup, ProcessRequest } from '../contracts/process.ts';
import type { KeptPlaces } from '../contracts/kept-places.ts';
import type { PermitsTarget, ToolContext, TraceCarrier } from '../contracts/tool.ts';
import type { ModelDelta } from '../contracts/model.ts';
import type { CheckResult } from '../contracts/verdict.ts';
import type { EventPayload, FlightEvent } from '../flight/events.ts';
import type { Json } from '../kernel/json.ts';
import type { RunState } from '../run/state.ts';
import type { RunHooks } from './perform-hooked.ts';

/** The trace that a run is a part of. */
export interface RunTracing {
  /** W3C `traceparent` of the caller, for the log; none where nobody called within a trace. */
  readonly traceparent?: string;
  /** The trace context that the effect of a key hands on; nothing where tracing is turned off. */
  of(effectKey: string): TraceCarrier | undefined;
}

/** What stands behind the agents of a run; whatever is left out, they do without. */
export interface AgentPorts {
  /** Who an agent is and what it is told before its first turn: its notes, and files about the work at hand. */
  brief?(state: RunState): Promise<Briefing>;
  /** Keeps what an agent changed in its notes, which outlast its session; to keep a change twice is to keep it once. */
  keepMemory?(change: NotesChange, state: RunState): Promise<void>;
  /** Keeps the figures of what is left out of a history; says how many. */
  keepFigures?(texts: readonly string[], state: RunState): Promise<number>;
}

/** What the driver is given from outside. */
export interface EnginePorts {
  /** The providers of the task, by id. */
  readonly providers: ReadonlyMap<string, Provider>;
  /** One call of a tool: whatever its code returns, or a promise of it. */
  callTool(name: string, args: Json, context: ToolContext): unknown;
  /** What the code of a tool returned, as plain JSON that meets the tool's output schema; throws where it does not. */
  acceptResult(name: string, returned: unknown): Json;
  /** What policy permits tools to reach beyond what their arguments name; everything where left out. */
  readonly permits?: PermitsTarget | undefined;
  /** What is kept from tools; nothing where left out. */
  readonly kept?: KeptPlaces | undefined;
  /** Code of one's own around every call, whoever makes it. */
  readonly hooks?: RunHooks;
  /** Runs the function check at that place of the task. */
  callCheck(index: number, report: string, state: RunState): Promise<CheckResult>;
  /** Starts a program for a tool; whoever gave this ends what still lives at the end of the run. */
  spawn?(request: ProcessRequest & { readonly cwd: string }): Promise<ChildGroup>;
  /** What is recalled before model calls; wanted where the run's first event, or that which took it up, says so. */
  readonly memory?: Memory;
  readonly agents?: AgentPorts;
  readonly log: FlightLog<FlightEvent>;
  readonly clock: Clock;
  readonly random: Random;
  /** Called after each event was folded; what it calls of the driver is queued. */
  onEvent?(event: FlightEvent, state: RunState): void;
  /** Called with each piece of text of a streamed answer. */
  onDelta?(delta: ModelDelta): void;
  readonly trace?: RunTracing;
  /** Masks known credentials in an event before it is folded and logged. */
  mask?(payload: EventPayload): EventPayload;
}
