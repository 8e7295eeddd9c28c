import { listProviders } from '../contracts/provider-chain.ts';
import type { Task } from '../contracts/task.ts';
import { providerSecrets } from '../providers/provider-names.ts';
import { searchKey } from '../tools/web/search-key.ts';

/** What is shorter stands in ordinary text too. */
const SHORTEST_SECRET = 8;

/** Credentials that the environment holds for the providers, the MCP servers and the search service of a task. */
export function knownSecrets(
  task: Task,
  env: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  const ofServers = Object.values(task.mcp ?? {}).flatMap((server) =>
    ('url' in server
      ? [...Object.values(server.headersEnv), server.oauth?.clientSecretEnv ?? '']
      : server.passEnv
    ).flatMap((name) => env[name] ?? []),
  );
  const ofProviders = providerSecrets(
    env,
    listProviders(task).flatMap(({ apiKeyEnv }) => apiKeyEnv ?? []),
  );
  const search = task.web?.search;
  const ofSearch = search === undefined ? undefined : searchKey(search, env);
  return [
    ...ofProviders,
    ...[...ofServers, ofSearch ?? ''].filter((value) => value.length >= SHORTEST_SECRET),
  ];
}
