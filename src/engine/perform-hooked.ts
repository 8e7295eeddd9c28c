import type { HookedOutcome } from '../contracts/hooks.ts';
import { toFailure } from '../contracts/failure.ts';
import type { ToolSpec } from '../contracts/tool.ts';
import { hashJson } from '../kernel/hash.ts';
import type { Json, JsonObject } from '../kernel/json.ts';
import { isJsonObject } from '../kernel/json.ts';
import type { BeforeCall } from './call-hooks.ts';
import type { EnginePorts } from './ports.ts';
import { toError } from './running-call.ts';
import type { ToolRun } from './tool-run.ts';

/** A call as the hooks of a run are asked about it. */
export interface CallAsked {
  readonly node: string;
  readonly key: string;
  readonly tool: string;
  /** The tool where it is none of the catalogue, but an agent's own. */
  readonly spec?: ToolSpec;
  readonly args: JsonObject;
}

/** The hooks of a run; neither ever throws. */
export interface RunHooks {
  /** Calls that the hooks let go on, by key of the node or call and digest of the arguments; owned by `performHooked`. */
  readonly passed: Set<string>;
  before(call: CallAsked): Promise<BeforeCall>;
  after(
    call: CallAsked,
    outcome: HookedOutcome,
    warn: (message: string) => void,
  ): Promise<{ readonly value: Json } | undefined>;
}

/**
 * Calls a tool with the hooks around it. Of a call that is made again, and that the hooks have let go on, only the one
 * after; where their answer was never had, as after a timeout or a crash, they are asked again.
 */
export async function performHooked(ports: EnginePorts, hooks: RunHooks, run: ToolRun): Promise<void> {
  const { node, tool, args, attempt, isSameCall = attempt > 1, isAmended = false } = run.effect;
  const passed = `${node}\n${hashJson(args)}`;
  const call: CallAsked = { node: run.nodeName, key: run.key, tool, args: isJsonObject(args) ? args : {} };
  if (!isAmended && !(isSameCall && hooks.passed.has(passed))) {
    const before = await hooks.before(call);
    if (run.isOver) return;
    if (run.failure !== null) {
      run.fail(toError(run.failure));
      return;
    }
    if (before.kind === 'blocked') {
      run.fail(toError(before.failure));
      return;
    }
    if (before.kind === 'changed') {
      run.amend(before.args);
      return;
    }
    hooks.passed.add(passed);
  }
  let outcome: HookedOutcome;
  try {
    outcome = { ok: true, value: ports.acceptResult(tool, await ports.callTool(tool, args, run)) };
  } catch (thrown) {
    outcome = { ok: false, failure: toFailure(thrown) };
  }
  const after = await hooks.after(call, outcome, run.log);
  if (after !== undefined && outcome.ok) run.succeed(after.value);
  else if (outcome.ok) run.succeed(outcome.value);
  else run.fail(toError(outcome.failure));
}
