import { listProviders } from '../contracts/provider-chain.ts';
import type { Task } from '../contracts/task.ts';
import type { Tool } from '../contracts/tool.ts';
import type { Driver } from '../engine/driver.ts';
import type { EnginePorts } from '../engine/ports.ts';
import { createMasker } from '../flight/mask.ts';
import { OrchestratorError } from '../kernel/errors.ts';
import { providerSecrets } from '../providers/provider-names.ts';
import { outputNode, resultsBehind } from '../run/results.ts';
import type { RunState } from '../run/state.ts';
import { acceptResult } from '../tools/accept-result.ts';
import { AskPeople } from './ask-people.ts';
import { InboxWatch } from './inbox-watch.ts';
import type { Prepared } from './prepare.ts';
import type { DriveOptions, OpenedRun } from './run-options.ts';

/** Drives a run to its end, or to an interruption, from the driver that `begin` makes of the ports. */
export async function driveRun(
  prepared: Prepared,
  options: DriveOptions,
  { run, clock, random }: OpenedRun,
  begin: (ports: EnginePorts) => Driver,
): Promise<RunState> {
  let driver: Driver | null = null;
  const people = new AskPeople(options, () => driver);
  const inbox = new InboxWatch(run, () => driver);
  const ports: EnginePorts = {
    providers: prepared.providers,
    log: run.log,
    clock,
    random,
    callTool: (name, args, context) => findTool(prepared, name).run(args, context),
    acceptResult: (name, returned) => acceptResult(findTool(prepared, name), returned),
    callCheck: (index, report, state) => callCheck(prepared, index, report, state),
    onEvent: (event, state) => {
      people.follow(state);
      inbox.follow(state);
      options.onEvent?.(event, state);
    },
    mask: createMasker([
      ...(options.secrets ?? []),
      ...knownSecrets(prepared.task, options.env ?? process.env),
    ]),
  };
  const { signal } = options;
  const made = begin(ports);
  driver = made;
  const cancel = (): void => made.cancel('interrupted');
  signal?.addEventListener('abort', cancel, { once: true });
  try {
    const ended = made.run();
    if (signal?.aborted === true) cancel();
    return await ended;
  } finally {
    inbox.close();
    signal?.removeEventListener('abort', cancel);
  }
}

function findTool(prepared: Prepared, name: string): Tool {
  const tool = prepared.tools.find(name);
  if (tool !== undefined) return tool;
  throw new OrchestratorError('tool_unavailable', `there is no tool "${name}" any more`);
}

/** Credentials that the environment holds for the providers of a task. */
function knownSecrets(task: Task, env: Readonly<Record<string, string | undefined>>): readonly string[] {
  return providerSecrets(
    env,
    listProviders(task).flatMap(({ apiKeyEnv }) => apiKeyEnv ?? []),
  );
}

function callCheck(
  prepared: Prepared,
  index: number,
  report: string,
  state: RunState,
): ReturnType<EnginePorts['callCheck']> {
  const check = prepared.functionChecks.get(index);
  if (check === undefined) throw new OrchestratorError('internal', `there is no function check ${index}`);
  const output = outputNode(state);
  const results = output === undefined ? [] : resultsBehind(state, output);
  return check(report, { inputs: prepared.task.inputs, results });
}
