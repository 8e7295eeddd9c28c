import { available, findShortage, type Ledger, withPromise } from '../budget/ledger.ts';
import { estimateInputTokens } from '../budget/estimate-tokens.ts';
import { costMicroUsd } from '../budget/prices.ts';
import type { Reservation } from '../contracts/budget.ts';
import type { WorkingMemory } from '../contracts/memory.ts';
import { fenceMessages } from '../contracts/fence.ts';
import type { ModelRequest } from '../contracts/model.ts';
import { hasGuards } from '../contracts/policy.ts';
import type { ChainLink } from '../contracts/provider-chain.ts';
import { DIMENSION_OF_AMOUNT } from '../budget/ledger.ts';
import { hashJson } from '../kernel/hash.ts';
import type { Json } from '../kernel/json.ts';
import { tryKey } from './effect-key.ts';
import type { Decision } from './effects.ts';
import { changeOfMode, contextChars, mayCall, wallLeftMs } from './modes.ts';
import { recalledText } from './recalled-text.ts';
import type { RunState } from './state.ts';

/** Fewest output tokens that a call is worth making with, where little is left. */
const LEAST_OUTPUT_TOKENS = 256;

/** What is to be recalled for a model call. */
export interface WantedRecall {
  /** Share of the context that it may take; what the prompt holds beside gets the rest. */
  readonly share: number;
  /** What memories are to be like, and what the run itself knows. */
  readonly ask: () => { readonly query: string; readonly working: WorkingMemory };
}

/** A model call that is wanted, before the mode of the moment has chosen its model. */
export interface WantedCall {
  /** Key of the call, without the ordinal of the try. */
  readonly id: string;
  readonly tries: number;
  readonly role: string;
  readonly node: string;
  /** Draws on what is held back for the write-up. */
  readonly isFinal?: boolean;
  /** What was kept for it, which it may draw on too. */
  readonly kept?: Reservation;
  /** Whether a last call may draw on what is held back for the run's own; it may where not given. */
  readonly drawsHeldBack?: boolean;
  /** Asks for what the economy model cannot make. */
  readonly keepsModel?: boolean;
  /** What is to be recalled for it; where left out, nothing is. */
  readonly recall?: WantedRecall;
  build(context: { contextChars: number; memory: string }): Pick<
    ModelRequest,
    'messages' | 'format' | 'media' | 'temperature' | 'tools'
  > & {
    maxOutputTokens?: number | undefined;
  };
}

/** A place of a chain, and which it is. */
export interface PlacedLink extends ChainLink {
  readonly link: number;
}

/** The call as a decision: made, refused for want of budget, or null where it waits for others to settle. */
export function decideCall(state: RunState, wanted: WantedCall, placed: PlacedLink): Decision | null {
  const { id, role, node } = wanted;
  const request = buildRequest(state, wanted, placed.model);
  const reserved = reservationFor(state, request);
  const ledger = ledgerFor(state, wanted);
  const isFinal = wanted.isFinal === true && wanted.drawsHeldBack !== false;
  const shortage = findShortage(ledger, reserved, isFinal);
  const asker = node === '' ? {} : { node };
  if (shortage !== null) {
    if (state.ledger.reserved[shortage] > 0 && wanted.kept === undefined) return null;
    const smaller = shortage === 'tokens' ? fitTokens(state, ledger, request, isFinal) : null;
    if (smaller === null) {
      return {
        event: { type: 'model.refused', key: id, role, ...asker, dimension: DIMENSION_OF_AMOUNT[shortage] },
      };
    }
    return callDecision(state, wanted, placed, smaller, reservationFor(state, smaller));
  }
  return callDecision(state, wanted, placed, request, reserved);
}

/** The ledger as a call sees it: with what was kept for it. */
function ledgerFor({ ledger }: RunState, { kept }: WantedCall): Ledger {
  return kept === undefined ? ledger : withPromise(ledger, kept);
}

function callDecision(
  state: RunState,
  wanted: WantedCall,
  { provider, link }: PlacedLink,
  request: ModelRequest,
  reserved: Reservation,
): Decision {
  const key = tryKey(wanted.id, wanted.tries + 1);
  const timeoutMs = Math.min(state.task.limits.modelTimeoutMs, Math.ceil(wallLeftMs(state)));
  return {
    event: {
      type: 'model.requested',
      key,
      role: wanted.role,
      ...(wanted.node === '' ? {} : { node: wanted.node }),
      provider,
      link,
      model: request.model,
      request: hashJson(request as unknown as Json),
      reserved,
      timeoutMs,
    },
    effect: { kind: 'callModel', key, node: wanted.node, provider, request, timeoutMs },
  };
}

function buildRequest(state: RunState, wanted: WantedCall, model: string): ModelRequest {
  const isFenced = hasGuards(state.task.policy);
  const { maxOutputTokens, messages, ...rest } = wanted.build({
    contextChars: contextChars(state),
    memory: recalledText(state, wanted),
  });
  const { temperature, reasoning } = state.task;
  return {
    role: wanted.role,
    model,
    ...(temperature === undefined ? {} : { temperature }),
    ...(reasoning === undefined ? {} : { reasoning }),
    messages: isFenced ? fenceMessages(messages) : messages,
    ...rest,
    // The size of an image follows from what was asked for: it cannot be cut.
    maxOutputTokens:
      rest.media?.kind === 'image' && maxOutputTokens !== undefined
        ? maxOutputTokens
        : Math.min(maxOutputTokens ?? Infinity, state.task.limits.maxOutputTokens),
  };
}

function reservationFor(state: RunState, request: ModelRequest): Reservation {
  const inputTokens = estimateInputTokens(request);
  const price = state.task.prices[request.model];
  const usage = { inputTokens, outputTokens: request.maxOutputTokens };
  return {
    llmCalls: 1,
    tokens: inputTokens + request.maxOutputTokens,
    ...(price === undefined ? {} : { costMicroUsd: costMicroUsd(usage, price) }),
  };
}

/** The request with its output cut to the tokens that are left; null where too few are. */
function fitTokens(
  state: RunState,
  ledger: Ledger,
  request: ModelRequest,
  isFinal: boolean,
): ModelRequest | null {
  const left = available(ledger, 'tokens', isFinal) - estimateInputTokens(request);
  if (left < LEAST_OUTPUT_TOKENS || request.media?.kind === 'image') return null;
  const smaller = { ...request, maxOutputTokens: Math.min(request.maxOutputTokens, left) };
  return findShortage(ledger, reservationFor(state, smaller), isFinal) === null ? smaller : null;
}

/** The change of mode that must be logged before a model is asked, or null. */
export function changeBeforeCall(state: RunState): Decision | null {
  return mayCall(state) ? changeOfMode(state) : null;
}
