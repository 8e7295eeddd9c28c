import type { Clock, FlightLog, Provider, Random } from '../contracts/ports.ts';
import type { ToolContext } from '../contracts/tool.ts';
import type { CheckResult } from '../contracts/verdict.ts';
import type { EventPayload, FlightEvent } from '../flight/events.ts';
import type { Json } from '../kernel/json.ts';
import type { RunState } from '../run/state.ts';

/** What the driver is given from outside. */
export interface EnginePorts {
  /** The providers of the task, by id. */
  readonly providers: ReadonlyMap<string, Provider>;
  /** One call of a tool: whatever its code returns, or a promise of it. */
  callTool(name: string, args: Json, context: ToolContext): unknown;
  /** What the code of a tool returned, as plain JSON that meets the tool's output schema; throws where it does not. */
  acceptResult(name: string, returned: unknown): Json;
  /** Runs the function check at that place of the task. */
  callCheck(index: number, report: string, state: RunState): Promise<CheckResult>;
  readonly log: FlightLog<FlightEvent>;
  readonly clock: Clock;
  readonly random: Random;
  /** Called after each event was folded; what it calls of the driver is queued. */
  onEvent?(event: FlightEvent, state: RunState): void;
  /** Called with each piece of text of a streamed answer. */
  onDelta?(key: string, text: string): void;
  /** Masks known credentials in an event before it is folded and logged. */
  mask?(payload: EventPayload): EventPayload;
}
