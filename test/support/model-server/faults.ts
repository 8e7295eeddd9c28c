import { expect } from 'vitest';
import type { ApiMode } from '../../../src/providers/reasoning.ts';
import { API_MODES } from '../api-providers.ts';
import type { Scenario } from './model-server.ts';

/** The call that is broken. */
export const FAULTED_CALL = { id: 'a', name: 'create_file', args: '{"path":"a.txt","text":"hello"}' };
/** How long a connection may be silent where one stalls. */
export const FAULT_IDLE_MS = 100;

const BROKEN_ARGS = '{"path":"a.txt"';
const TWO_OBJECTS = '{"city":"Paris"}{"city":"Rome"}';

/** What a provider makes of a fault. */
export type FaultOutcome =
  | {
      readonly code: string;
      readonly retry: string;
      readonly retryAfterMs?: number;
      readonly details?: object;
    }
  /** The answer is handed on, but is no result. */
  | { readonly failure: string; readonly text?: string }
  /** The answer is whole. */
  | { readonly text: string };

/** One thing that goes wrong, and what a provider makes of it. */
export interface Fault {
  readonly name: string;
  readonly scenario: Scenario;
  readonly outcome: FaultOutcome;
  /** Cells that cannot exist, with their reason. */
  readonly impossible?: (api: ApiMode, isStreamed: boolean) => string | undefined;
}

const onlyStreamed = (what: string) => (_api: ApiMode, isStreamed: boolean) =>
  isStreamed ? undefined : `${what} needs a stream`;

/** An answer that is not streamed carries the arguments as a value, which is either whole or no object. */
const parsedByServer = (api: ApiMode, isStreamed: boolean): string | undefined =>
  api === 'messages' && !isStreamed ? 'the server has parsed the arguments itself' : undefined;

/** What real model APIs do wrong. */
export const FAULTS: readonly Fault[] = [
  {
    name: '429 with Retry-After',
    scenario: { status: 429, headers: { 'retry-after': '7' }, error: { type: 'rate_limit_error' } },
    outcome: { code: 'model_overloaded', retry: 'TRANSIENT', retryAfterMs: 7000, details: { status: 429 } },
  },
  {
    name: '500',
    scenario: { status: 500, error: { type: 'server_error' } },
    outcome: { code: 'model_overloaded', retry: 'TRANSIENT' },
  },
  {
    name: '529',
    scenario: { status: 529, error: { type: 'overloaded_error' } },
    outcome: { code: 'model_overloaded', retry: 'TRANSIENT' },
  },
  {
    name: '401',
    scenario: { status: 401, error: { type: 'authentication_error' } },
    outcome: { code: 'model_unauthorized', retry: 'PERMANENT' },
  },
  {
    name: 'stream cut mid-call',
    scenario: { reply: { toolCalls: [FAULTED_CALL] }, cut: 'reset' },
    outcome: { code: 'model_unreachable', retry: 'TRANSIENT' },
    impossible: onlyStreamed('a cut stream'),
  },
  {
    name: 'clean end mid-call',
    scenario: { reply: { toolCalls: [FAULTED_CALL] }, cut: 'end' },
    outcome: {
      code: 'model_unreachable',
      retry: 'TRANSIENT',
      details: { missing: expect.any(String) as string },
    },
    impossible: onlyStreamed('a stream that ends early'),
  },
  {
    name: 'last event without blank line',
    scenario: { reply: { text: 'All of it.' }, lastBlankLine: 'missing' },
    outcome: { text: 'All of it.' },
    impossible: onlyStreamed('an event'),
  },
  {
    name: 'stall after headers',
    scenario: { stall: 'headers' },
    outcome: { code: 'model_unreachable', retry: 'TRANSIENT', details: { idleTimeoutMs: FAULT_IDLE_MS } },
  },
  {
    name: 'empty content',
    scenario: { reply: {} },
    outcome: { failure: 'model_empty', text: '' },
  },
  {
    name: 'malformed JSON arguments',
    scenario: { reply: { toolCalls: [{ ...FAULTED_CALL, args: BROKEN_ARGS }] } },
    outcome: {
      code: 'model_malformed',
      retry: 'TRANSIENT',
      details: { tool: 'create_file', arguments: BROKEN_ARGS },
    },
    impossible: parsedByServer,
  },
  {
    name: 'two concatenated argument objects',
    scenario: { reply: { toolCalls: [{ ...FAULTED_CALL, args: TWO_OBJECTS }] } },
    outcome: { code: 'model_malformed', retry: 'TRANSIENT', details: { arguments: TWO_OBJECTS } },
    impossible: parsedByServer,
  },
  {
    name: 'arguments that are no object',
    scenario: { reply: { toolCalls: [{ ...FAULTED_CALL, args: '["a.txt"]' }] } },
    outcome: { code: 'model_malformed', retry: 'TRANSIENT' },
  },
  {
    name: 'refusal',
    scenario: { reply: { text: 'I will not.', toolCalls: [FAULTED_CALL], stop: 'refusal' } },
    outcome: { failure: 'model_refused', text: 'I will not.' },
  },
  {
    name: 'length-truncated call',
    scenario: { reply: { toolCalls: [{ ...FAULTED_CALL, args: BROKEN_ARGS }], stop: 'length' } },
    outcome: { failure: 'model_truncated', text: '' },
  },
  {
    name: 'text cut by length',
    scenario: { reply: { text: 'The three risks are: 1. cost, 2.', stop: 'length' } },
    outcome: { failure: 'model_truncated', text: 'The three risks are: 1. cost, 2.' },
  },
  {
    name: 'content filter',
    scenario: { reply: { text: 'Half a', toolCalls: [FAULTED_CALL], stop: 'content_filter' } },
    outcome: { failure: 'model_refused', text: 'Half a' },
  },
  {
    name: 'overloaded inside 200',
    scenario: { streamError: 'overloaded_error' },
    outcome: { code: 'model_overloaded', retry: 'TRANSIENT' },
    impossible: onlyStreamed('an error event'),
  },
  {
    name: 'answer cut by a reset',
    scenario: { reply: { text: 'A long answer. '.repeat(50) }, cut: 'reset' },
    outcome: { code: 'model_unreachable', retry: 'TRANSIENT' },
  },
  {
    name: 'no connection is answered',
    scenario: { stall: 'everything' },
    outcome: { code: 'model_unreachable', retry: 'TRANSIENT' },
    impossible: (_api, isStreamed) =>
      isStreamed ? undefined : 'an answer that is not streamed may take as long as the caller waits',
  },
  {
    name: 'stream that never ends after its end marker',
    scenario: { reply: { text: 'All of it.' }, end: 'never' },
    outcome: { text: 'All of it.' },
    impossible: onlyStreamed('an end marker'),
  },
  {
    name: 'a web page with status 200',
    scenario: { body: '<html>Log in</html>', contentType: 'text/html' },
    outcome: { code: expect.stringMatching(/^model_(malformed|unreachable)$/) as string, retry: 'TRANSIENT' },
  },
  {
    name: '400',
    scenario: { status: 400, error: { type: 'invalid_request_error' } },
    outcome: { code: 'model_bad_request', retry: 'PERMANENT' },
  },
  { name: '402', scenario: { status: 402 }, outcome: { code: 'model_quota', retry: 'PERMANENT' } },
  { name: '403', scenario: { status: 403 }, outcome: { code: 'model_unauthorized', retry: 'PERMANENT' } },
  {
    name: '404 for a model',
    scenario: { status: 404, error: { code: 'model_not_found' } },
    outcome: { code: 'model_bad_request', retry: 'PERMANENT' },
  },
  { name: '408', scenario: { status: 408 }, outcome: { code: 'model_overloaded', retry: 'TRANSIENT' } },
  { name: '409', scenario: { status: 409 }, outcome: { code: 'model_overloaded', retry: 'TRANSIENT' } },
  { name: '422', scenario: { status: 422 }, outcome: { code: 'model_bad_request', retry: 'PERMANENT' } },
  {
    name: '429 for an exhausted account',
    scenario: { status: 429, error: { type: 'insufficient_quota', code: 'insufficient_quota' } },
    outcome: { code: 'model_quota', retry: 'PERMANENT' },
  },
  {
    name: 'a redirect',
    scenario: { status: 307, headers: { location: 'http://127.0.0.1:9/' } },
    outcome: { code: 'model_bad_request', retry: 'PERMANENT', details: { status: 307 } },
  },
];

/** Each fault over each API, streamed and whole; those with a `reason` cannot exist. */
export const FAULT_CELLS = FAULTS.flatMap((fault) =>
  API_MODES.flatMap((api) =>
    [true, false].map((isStreamed) => ({
      ...fault,
      api,
      isStreamed,
      how: isStreamed ? 'streamed' : 'whole',
      reason: fault.impossible?.(api, isStreamed),
    })),
  ),
);
