import type { ToolContext } from '../../contracts/tool.ts';
import { OrchestratorError, ToolError } from '../../kernel/errors.ts';
import { isJsonObject, type Json } from '../../kernel/json.ts';
import { AddressGuard } from './address-guard.ts';
import { decodeText } from './decode-text.ts';
import { HttpClient, type HttpRequest } from './http-client.ts';
import { hostOf } from './parse-web-url.ts';
import { readBody } from './read-body.ts';
import { refuseStatus } from './refuse-status.ts';
import { searchKey, searchKeyVariable, type SearchSettings } from './search-key.ts';

const MAX_ANSWER_BYTES = 2 * 1024 * 1024;
const MAX_SNIPPET_CHARS = 1000;

/** One page that a search found. */
export interface SearchResult {
  readonly title: string;
  readonly url: string;
  readonly snippet: string;
}

/** What is wanted of a search. */
export interface SearchQuery {
  readonly query: string;
  readonly maxResults: number;
  /** Language as a code such as `en`; that of the service where not given. */
  readonly language?: string;
}

interface Service {
  readonly url?: string;
  request(
    address: string,
    query: SearchQuery,
    key: string,
  ): Pick<HttpRequest, 'url' | 'method' | 'headers' | 'body'>;
  /** The list of results in an answer, and the field of the text of each. */
  results(answer: Json): Json | undefined;
  readonly snippet: string;
}

const SERVICES: Readonly<Record<SearchSettings['kind'], Service>> = {
  searxng: {
    snippet: 'content',
    request: (address, { query, language }) => ({
      url: withQuery(new URL('search', address.endsWith('/') ? address : `${address}/`).href, {
        q: query,
        format: 'json',
        ...(language === undefined ? {} : { language }),
      }),
    }),
    results: (answer) => member(answer, 'results'),
  },
  brave: {
    url: 'https://api.search.brave.com/res/v1/web/search',
    snippet: 'description',
    request: (address, { query, maxResults, language }, key) => ({
      url: withQuery(address, {
        q: query,
        count: String(Math.min(maxResults, 20)),
        ...(language === undefined ? {} : { search_lang: language }),
      }),
      headers: { accept: 'application/json', 'x-subscription-token': key },
    }),
    results: (answer) => member(member(answer, 'web'), 'results'),
  },
  tavily: {
    url: 'https://api.tavily.com/search',
    snippet: 'content',
    request: (address, { query, maxResults }, key) => ({
      url: address,
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
      body: new TextEncoder().encode(JSON.stringify({ query, max_results: Math.min(maxResults, 20) })),
    }),
    results: (answer) => member(answer, 'results'),
  },
};

/** Searches the web by the service of a task. */
export class SearchService {
  readonly #service: Service;
  readonly #address: string;
  readonly #key: string;
  readonly #client: HttpClient;

  /** Throws `task_invalid` where the address is missing, and `key_missing`, which names the variable. */
  constructor(settings: SearchSettings, env: Readonly<Record<string, string | undefined>>) {
    const service = SERVICES[settings.kind];
    const address = settings.url ?? service.url;
    if (address === undefined) {
      throw new OrchestratorError(
        'task_invalid',
        `web.search: ${settings.kind} needs the url of the service`,
        {
          hint: 'Give its address, such as url: http://localhost:8888.',
        },
      );
    }
    this.#service = service;
    this.#address = address;
    this.#key = searchKey(settings, env) ?? '';
    const variable = searchKeyVariable(settings);
    if (this.#key === '' && variable !== undefined) {
      throw new OrchestratorError('key_missing', `web.search: ${settings.kind} needs a key in ${variable}`, {
        details: { variable },
      });
    }
    // Where the user himself says the service is, it may be on his own machine.
    this.#client = new HttpClient(new AddressGuard([hostOf(new URL(address))]));
  }

  /** What the service found, the best first; throws a ToolError where it does not answer as it should. */
  async search(query: SearchQuery, context: Pick<ToolContext, 'signal' | 'trace'>): Promise<SearchResult[]> {
    const request = this.#service.request(this.#address, query, this.#key);
    const answer = await this.#client.send({ ...request, signal: context.signal, trace: context.trace });
    refuseStatus(answer);
    const { bytes } = await readBody(answer, MAX_ANSWER_BYTES);
    const list = this.#service.results(parse(decodeText(bytes, answer.headers['content-type']), answer.url));
    const results = (Array.isArray(list) ? (list as readonly Json[]) : []).flatMap((item) =>
      this.#read(item),
    );
    return results.slice(0, query.maxResults);
  }

  #read(item: Json): SearchResult[] {
    const url = textOf(member(item, 'url'));
    if (!/^https?:\/\//i.test(url)) return [];
    return [
      {
        title: plain(textOf(member(item, 'title'))),
        url,
        snippet: plain(textOf(member(item, this.#service.snippet))).slice(0, MAX_SNIPPET_CHARS),
      },
    ];
  }
}

function withQuery(address: string, parameters: Readonly<Record<string, string>>): string {
  const url = new URL(address);
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}

function parse(text: string, url: URL): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    throw new ToolError('PERMANENT', `the search service ${url.host} answered in a form that is no JSON`, {
      cause: error,
    });
  }
}

function member(value: Json | undefined, name: string): Json | undefined {
  return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** Services mark the words of the query with tags. */
function plain(text: string): string {
  return text
    .replace(/<[^>]{0,100}>/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}
