import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { OrchestratorError, ToolError } from '../../kernel/errors.ts';
import { addressKind } from './address-kind.ts';
import { HostRules } from './host-rules.ts';
import { parseAddress } from './ip-address.ts';
import { hostOf } from './parse-web-url.ts';

/** Finds every address of a name, as the system does. */
export type ResolveHost = (host: string) => Promise<readonly LookupAddress[]>;

const resolveBySystem: ResolveHost = (host) => lookup(host, { all: true, verbatim: true });

/** How an address came to be asked for: by whoever called the tool, or by a server that sent the call on. */
export type UrlSource = 'argument' | 'redirect';

/** Says which addresses a request may connect to. What it returned is to be connected to, not looked up again. */
export class AddressGuard {
  readonly #rules: HostRules;
  readonly #resolve: ResolveHost;

  constructor(privateHosts: readonly string[] = [], resolve: ResolveHost = resolveBySystem) {
    this.#rules = new HostRules(privateHosts);
    this.#resolve = resolve;
  }

  /** The addresses of a host, every one of them permitted; throws `policy_denied` where one is not. */
  async addressesOf(url: URL, source: UrlSource): Promise<readonly LookupAddress[]> {
    const host = hostOf(url);
    const literal = parseAddress(host);
    const addresses =
      literal === null
        ? await this.#lookUp(host)
        : [{ address: host, family: literal.length === 4 ? 4 : 6 } as const];
    const refused = addresses.find(({ address }) => !this.#rules.permits(host, address));
    if (refused !== undefined) throw refuse(url, addressKind(refused.address), source);
    return addresses;
  }

  /** Whether a connection that was made leads where a host may be reached. */
  permits(url: URL, address: string): boolean {
    return this.#rules.permits(hostOf(url), address);
  }

  async #lookUp(host: string): Promise<readonly LookupAddress[]> {
    try {
      const addresses = await this.#resolve(host);
      if (addresses.length > 0) return addresses;
    } catch (error) {
      const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
      if (code !== 'ENOTFOUND' && code !== 'ENODATA') throw error;
    }
    throw new ToolError('MISSING_INFO', `there is no host ${JSON.stringify(host)}`, { details: { host } });
  }
}

/** A server that leads astray must not be able to stop the run; what its caller asked for is a matter of policy. */
function refuse(url: URL, kind: string, source: UrlSource): OrchestratorError {
  const host = hostOf(url);
  return new OrchestratorError(
    'policy_denied',
    `${host} ${source === 'redirect' ? '(where a redirect leads) ' : ''}is not on the public internet: its address is ${kind}`,
    {
      retry: source === 'redirect' ? 'PERMANENT' : 'POLICY',
      details: { url: url.href, kind },
      hint: 'List the host or its network under `web.privateHosts` if it is meant to be reached.',
    },
  );
}
