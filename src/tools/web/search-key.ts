import type { WebSettings } from '../../contracts/task.ts';

/** How a task says where to search. */
export type SearchSettings = NonNullable<WebSettings['search']>;

/** The variables that hold the keys of services where the task names none. */
const KEY_VARIABLES: Readonly<Record<SearchSettings['kind'], string | undefined>> = {
  searxng: undefined,
  brave: 'BRAVE_API_KEY',
  tavily: 'TAVILY_API_KEY',
};

/** The variable that the key of a search service is taken from; none where it needs no key. */
export function searchKeyVariable({ kind, apiKeyEnv }: SearchSettings): string | undefined {
  return apiKeyEnv ?? KEY_VARIABLES[kind];
}

/** The key that the environment holds for a search service. */
export function searchKey(
  settings: SearchSettings,
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const variable = searchKeyVariable(settings);
  const key = variable === undefined ? undefined : env[variable]?.trim();
  return key === '' ? undefined : key;
}
