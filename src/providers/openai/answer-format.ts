import type { AnswerFormat } from '../../contracts/model.ts';
import { isJsonObject, type JsonObject } from '../../kernel/json.ts';
import { fillItems } from '../schema/adapt-schema.ts';
import type { AnswerWrap } from '../schema/restore-answer.ts';
import { OPENAI_STRICT } from '../schema/strict-rules.ts';
import { strictSchema } from '../schema/strict-schema.ts';
import { wireName } from '../tool-names.ts';
import type { OpenAiOptions } from './options.ts';

/** A format as OpenAI's APIs take it, and how the answer is turned back. */
export interface WireFormat {
  readonly name: string;
  readonly schema: Record<string, unknown>;
  readonly strict?: boolean;
  readonly wrap: AnswerWrap;
}

/**
 * The format for a request: strict where OpenAI can enforce the schema, else as a guide. Compatible servers get it as
 * it is: those that enforce it enforce more of it than OpenAI does. Null where only the instructions can help.
 */
export function toWireFormat(
  format: AnswerFormat | undefined,
  dialect: OpenAiOptions['dialect'],
): WireFormat | null {
  if (format === undefined) return null;
  const { schema } = format;
  const name = wireName(format.name);
  const strict = dialect === 'openai' ? strictSchema(schema, OPENAI_STRICT) : null;
  if (strict !== null) {
    const wrap = { schema, isWrapped: strict.isWrapped, hasAddedNulls: true };
    return { name, schema: strict.schema, strict: true, wrap };
  }
  if (!isJsonObject(schema)) return null;
  const isWrapped = dialect === 'openai' && schema['type'] !== 'object';
  return {
    name,
    schema: isWrapped ? wrapLoosely(schema) : (fillItems(schema) as JsonObject),
    ...(dialect === 'openai' ? { strict: false } : {}),
    wrap: { schema, isWrapped, hasAddedNulls: false },
  };
}

function wrapLoosely({ $defs, definitions, ...schema }: JsonObject): JsonObject {
  return {
    type: 'object',
    properties: { value: fillItems(schema) },
    required: ['value'],
    ...($defs === undefined ? {} : { $defs: $defs }),
    ...(definitions === undefined ? {} : { definitions: definitions }),
  };
}
