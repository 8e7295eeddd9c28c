/*
 * The only place that awaits a provider, a tool or a check. It turns whatever they do into one report each: an answer,
 * a result, or a failure; never none, never two.
 */
import { type Failure, toFailure } from '../contracts/failure.ts';
import { type ModelAnswer, modelAnswerSchema } from '../contracts/model.ts';
import type { Provider } from '../contracts/ports.ts';
import { OrchestratorError } from '../kernel/errors.ts';
import { toPlainJson } from '../kernel/json.ts';
import type { RunState } from '../run/state.ts';
import type { CheckRun } from './check-run.ts';
import type { ModelRun } from './model-run.ts';
import type { EnginePorts } from './ports.ts';
import type { ToolRun } from './tool-run.ts';

/** Calls a tool; a result that is there at once is reported in a later microtask too, so that no tool can starve the rest. */
export function performTool(ports: EnginePorts, run: ToolRun): void {
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
    onDelta: (text) => ports.onDelta?.(key, text),
    onUsage: (usage) => {
      run.usage = usage;
    },
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

/** Runs a function check. */
export function performCheck(ports: EnginePorts, run: CheckRun, state: RunState): void {
  const { index, report } = run.effect;
  void Promise.resolve()
    .then(() => ports.callCheck(index, report, state))
    .then(run.succeed, run.fail);
}
