import { OrchestratorError } from '../kernel/errors.ts';
import { type Address, readVariable } from './address.ts';
import { type ProviderEntry, PROVIDERS } from './provider-names.ts';

/**
 * The key for an address: that of the variable named, else that of whoever owns the address, else the provider's own.
 * Null where the server wants none; throws `key_missing`. A key never goes to a foreign address that a task file
 * gives, unless the variable is named for it.
 */
export function chooseKey(
  name: string,
  entry: ProviderEntry,
  address: Address,
  env: Readonly<Record<string, string | undefined>>,
  apiKeyEnv: string | undefined,
): string | null {
  const owner: ProviderEntry = address.owner === null ? {} : PROVIDERS[address.owner.provider];
  const isForeign = address.isFromTask && !address.isLoopback && address.owner === null;
  const variable = apiKeyEnv ?? owner.keyEnv ?? (isForeign ? undefined : entry.keyEnv);
  const key = readVariable(env, variable);
  if (key !== undefined) return key;
  if (entry.isKeyless === true && apiKeyEnv === undefined && address.owner === null) return null;
  if (variable !== undefined) {
    throw new OrchestratorError('key_missing', `provider ${name} needs a key, and ${variable} is not set`, {
      details: { provider: name, variable },
      hint: `Set ${variable}, or name another variable with apiKeyEnv.`,
    });
  }
  throw new OrchestratorError(
    'key_missing',
    `provider ${name}: which key may go to ${address.host} is not said`,
    {
      details: { provider: name, host: address.host },
      hint: `Name the variable that holds it, such as apiKeyEnv: ${entry.keyEnv ?? 'MY_API_KEY'}.`,
    },
  );
}
