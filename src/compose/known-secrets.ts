import { listProviders } from '../contracts/provider-chain.ts';
import type { Task } from '../contracts/task.ts';
import { providerSecrets } from '../providers/provider-names.ts';

/** Credentials that the environment holds for the providers of a task. */
export function knownSecrets(
  task: Task,
  env: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  return providerSecrets(
    env,
    listProviders(task).flatMap(({ apiKeyEnv }) => apiKeyEnv ?? []),
  );
}
