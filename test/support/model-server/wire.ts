import type { AnswerFormat, Message, OfferedTool } from '../../../src/contracts/model.ts';
import type { ApiMode } from '../../../src/providers/reasoning.ts';
import type { JsonObject } from '../../../src/kernel/json.ts';

/** A request as it came over the wire, decoded to the one form. */
export interface WireRequest {
  readonly api: ApiMode;
  readonly isStreamed: boolean;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: JsonObject;
  readonly model: string;
  readonly maxOutputTokens: number;
  readonly messages: readonly Message[];
  readonly tools: readonly OfferedTool[];
  readonly format: AnswerFormat | null;
}

/** What a model is made to say. */
export interface WireReply {
  readonly text?: string;
  /** Arguments are text, so that they can be broken. */
  readonly toolCalls?: readonly { readonly id: string; readonly name: string; readonly args: string }[];
  /** What it thinks first; each API has a form of its own for it. */
  readonly thoughts?: readonly JsonObject[];
  /** Why it stops where that is not plain from the rest. */
  readonly stop?: 'length' | 'refusal' | 'content_filter';
  readonly usage?: {
    readonly input: number;
    readonly output: number;
    readonly cacheRead?: number;
    readonly cacheWrite?: number;
    readonly reasoning?: number;
  };
}

/** One server-sent event. */
export interface WireEvent {
  readonly event?: string;
  readonly data: JsonObject | string;
  /** Whether it carries a piece of the arguments of a call. */
  readonly isCallPiece?: boolean;
  /** Whether the answer counts once it has come. */
  readonly isEndMarker?: boolean;
}

/** How one API is spoken from the server's side. */
export interface Wire {
  readonly path: string;
  decode(body: JsonObject): Pick<WireRequest, 'model' | 'maxOutputTokens' | 'messages' | 'tools' | 'format'>;
  encode(reply: WireReply, model: string): JsonObject;
  stream(reply: WireReply, model: string): readonly WireEvent[];
  error(kind: { readonly type: string; readonly code?: string; readonly message: string }): JsonObject;
  /** An error in the middle of a 200 stream. */
  errorEvent(kind: { readonly type: string; readonly message: string }): WireEvent;
}

/** Usage of a reply that says nothing about it. */
export const PLAIN_USAGE: NonNullable<WireReply['usage']> = { input: 11, output: 7 };

/** A text in two pieces, to be put together again. */
export function halves(text: string): readonly string[] {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)].filter((piece) => piece !== '');
}
