import { OrchestratorError } from '../../kernel/errors.ts';
import { addressKind, carriedAddress } from './address-kind.ts';
import { isInNetwork, type Network, parseAddress, parseNetwork } from './ip-address.ts';

/** Which hosts and addresses may be reached although they are not public. */
export class HostRules {
  readonly #networks: readonly Network[];
  readonly #names: ReadonlySet<string>;
  readonly #suffixes: readonly string[];

  /** Entries are addresses, networks (`10.0.0.0/8`), names, or `*.name`; throws `task_invalid` for any other. */
  constructor(entries: readonly string[]) {
    const networks: Network[] = [];
    const names: string[] = [];
    const suffixes: string[] = [];
    for (const entry of entries) {
      const text = entry.trim().toLowerCase();
      const network = parseNetwork(text);
      if (network !== null) networks.push(network);
      else if (/^\*\.[^*/:@\s]+$/.test(text)) suffixes.push(text.slice(1));
      else if (/^[^*/:@\s]+$/.test(text) && !/^[\d.]+$/.test(text)) names.push(text.replace(/\.$/, ''));
      else throw badEntry(entry);
    }
    this.#networks = networks;
    this.#names = new Set(names);
    this.#suffixes = suffixes;
  }

  /**
   * Whether a host may be reached at an address: where the address is public or listed, or where the host is listed by
   * its name and the address is private or the machine's own. A name never opens addresses of metadata services.
   */
  permits(host: string, address: string): boolean {
    const kind = addressKind(address);
    if (kind === 'public') return true;
    const bytes = parseAddress(address);
    if (bytes === null) return false;
    const carried = carriedAddress(bytes);
    if (this.#networks.some((network) => isInNetwork(carried, network))) return true;
    return (kind === 'private' || kind === 'loopback') && this.#hasName(host);
  }

  #hasName(host: string): boolean {
    const name = host.toLowerCase().replace(/\.$/, '');
    return this.#names.has(name) || this.#suffixes.some((suffix) => name.endsWith(suffix));
  }
}

function badEntry(entry: string): OrchestratorError {
  return new OrchestratorError(
    'task_invalid',
    `web.privateHosts: ${JSON.stringify(entry)} is neither a host nor a network`,
    {
      hint: 'Write a name (localhost), *.name, an address, or a network (10.0.0.0/8); no scheme and no port.',
    },
  );
}
