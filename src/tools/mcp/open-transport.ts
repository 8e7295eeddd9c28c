import { resolve } from 'node:path';
import type { Transport } from '@modelcontextprotocol/client';
import type { HttpServer, McpServerSettings } from '../../contracts/mcp.ts';
import { OrchestratorError } from '../../kernel/errors.ts';
import type { McpHost } from './mcp-host.ts';
import { ProcessTransport } from './process-transport.ts';
import { serverEnvironment } from './server-environment.ts';

/** A fresh way to a server, not yet begun. Throws `key_missing` where a header has no value. */
export async function openTransport(
  name: string,
  settings: McpServerSettings,
  host: McpHost,
): Promise<Transport> {
  if ('url' in settings) {
    const { ClientCredentialsProvider, StreamableHTTPClientTransport } =
      await import('@modelcontextprotocol/client');
    const headers = headersOf(name, settings, host.env);
    const credentials = credentialsOf(name, settings, host.env);
    return new StreamableHTTPClientTransport(new URL(settings.url), {
      requestInit: { headers },
      ...(credentials === null ? {} : { authProvider: new ClientCredentialsProvider(credentials) }),
    });
  }
  const { command, args, cwd } = settings;
  return new ProcessTransport(() =>
    host.spawn({
      command,
      args,
      cwd: resolve(host.folder, cwd ?? '.'),
      env: serverEnvironment(settings, host.env),
      hasInput: true,
      lifetime: 'run',
    }),
  );
}

function credentialsOf(name: string, { oauth }: HttpServer, env: McpHost['env']) {
  if (oauth === undefined) return null;
  const read = (field: 'clientIdEnv' | 'clientSecretEnv'): string =>
    valueOf(env, oauth[field], { server: name, what: 'its OAuth client', field: `oauth.${field}` });
  return {
    expectedIssuer: oauth.issuer,
    clientId: read('clientIdEnv'),
    clientSecret: read('clientSecretEnv'),
    ...(oauth.scope === undefined ? {} : { scope: oauth.scope }),
  };
}

/** Throws `key_missing` where a variable of the environment is not set, or empty. */
function valueOf(
  env: McpHost['env'],
  variable: string,
  { server, what, field }: { readonly server: string; readonly what: string; readonly field: string },
): string {
  const value = env[variable];
  if (value !== undefined && value !== '') return value;
  throw new OrchestratorError('key_missing', `MCP server ${server}: ${variable}, for ${what}, is not set`, {
    hint: `Set ${variable}, or name another variable under mcp.${server}.${field}.`,
  });
}

function headersOf(
  name: string,
  { headers, headersEnv }: HttpServer,
  env: McpHost['env'],
): Record<string, string> {
  const fromEnv = Object.entries(headersEnv).map(
    ([header, variable]) =>
      [
        header,
        valueOf(env, variable, { server: name, what: `its header ${header}`, field: 'headersEnv' }),
      ] as const,
  );
  return { ...headers, ...Object.fromEntries(fromEnv) };
}
