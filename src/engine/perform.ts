/*
 * The only place that awaits a provider, a tool, a check or the memory. It turns whatever they do into one report each: an answer,
 * a result, or a failure; never none, never two.
 */
import { type Failure, toFailure } from '../contracts/failure.ts';
import { type RecalledContext, recalledContextSchema } from '../contracts/memory.ts';
import { type ModelAnswer, modelAnswerSchema } from '../contracts/model.ts';
import type { Provider } from '../contracts/ports.ts';
import { OrchestratorError } from '../kernel/errors.ts';
import { toPlainJson } from '../kernel/json.ts';
import type { RunState } from '../run/state.ts';
import type { CheckRun } from './check-run.ts';
import type { ModelRun } from './model-run.ts';
import { performHooked } from './perform-hooked.ts';
import type { EnginePorts } from './ports.ts';
import type { RecallRun } from './recall-run.ts';
import type { ToolRun } from './tool-run.ts';

/** Calls a tool; a result that is there at once is reported in a later microtask too, so that no tool can starve the rest. */
export function performTool(ports: EnginePorts, run: ToolRun): void {
  run.permits = ports.permits;
  run.kept = ports.kept;
  if (ports.hooks !== undefined) {
    void performHooked(ports, ports.hooks, run);
    return;
  }
  try {
    const result = ports.callTool(run.effect.tool, run.effect.args, run);
    // Any thenable will do; a native promise is taken as it is.
    (result instanceof Promise ? result : Promise.resolve(result)).then(run.succeed, run.fail);
  } catch (thrown) {
    Promise.reject(thrown as Error).catch(run.fail);
  }
}

/** Asks a model once; an answer that has not the form of one is a failure. */
export function performModel(ports: EnginePorts, run: ModelRun): void {
  void askProvider(ports, run).then(run.succeed, run.fail);
}

async function askProvider(ports: EnginePorts, run: ModelRun): Promise<ModelAnswer> {
  const { key, request } = run.effect;
  const provider = providerOf(ports, run.effect.provider);
  const answer = await provider.complete(request, {
    signal: run.signal,
    key,
    onDelta: (text) => tellDelta(ports, run, text),
    onUsage: (usage) => {
      run.usage = usage;
    },
    onWait: () => run.wait(),
    onTurn: () => run.takeTurn(ports.clock.now()),
    onWarning: (text) => run.warn(text),
  });
  const plain = toPlainJson(answer);
  const parsed = modelAnswerSchema.safeParse(plain);
  if (parsed.success) return plain as unknown as ModelAnswer;
  throw new OrchestratorError(
    'model_malformed',
    `provider ${provider.name} answered in a form that is none: ${parsed.error.issues[0]?.message ?? ''}`,
    { blame: 'provider' },
  );
}

/** Pieces of a call that is aborted are told no more. */
function tellDelta(ports: EnginePorts, { isOver, failure, effect }: ModelRun, text: string): void {
  if (isOver || failure !== null) return;
  const { key, node, request } = effect;
  try {
    ports.onDelta?.({ key, role: request.role, ...(node === '' ? {} : { node }), text });
  } catch (error) {
    // The observer's own defect: it surfaces as its own uncaught error and does not touch the call.
    queueMicrotask(() => {
      throw error;
    });
  }
}

/** Fetches a fresh key for a provider: nothing where that worked, else why not. */
export async function performRefresh(ports: EnginePorts, id: string): Promise<Failure | undefined> {
  try {
    await providerOf(ports, id).refreshCredential?.();
    return undefined;
  } catch (thrown) {
    return toFailure(thrown);
  }
}

function providerOf(ports: EnginePorts, id: string): Provider {
  const provider = ports.providers.get(id);
  if (provider !== undefined) return provider;
  throw new OrchestratorError(
    'unknown_provider',
    `there is no provider ${JSON.stringify(id)} in this process`,
  );
}

/** Recalls the context of a model call; one that is none, or longer than it may be, is a failure. */
export function performRecall(ports: EnginePorts, run: RecallRun): void {
  void recallContext(ports, run).then(run.succeed, run.fail);
}

async function recallContext(ports: EnginePorts, run: RecallRun): Promise<RecalledContext> {
  const { key, query, working, budgetChars } = run.effect;
  const recalled = await ports.memory?.recall({ key, query, working, budgetChars });
  const plain = toPlainJson(recalled ?? { text: '', included: [], warnings: [] });
  const { success, data, error } = recalledContextSchema.safeParse(plain);
  if (success && data.text.length <= budgetChars) return data;
  const problem = success
    ? `${data.text.length} characters, ${budgetChars} were asked for`
    : `${error.issues[0]?.path.join('.') ?? ''}: ${error.issues[0]?.message ?? ''}`;
  throw new OrchestratorError('memory_invalid', `memory gave no context: ${problem}`);
}

/** Runs a function check. */
export function performCheck(ports: EnginePorts, run: CheckRun, state: RunState): void {
  const { index, report } = run.effect;
  void Promise.resolve()
    .then(() => ports.callCheck(index, report, state))
    .then(run.succeed, run.fail);
}
