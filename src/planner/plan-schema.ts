import type { JsonSchema } from '../contracts/schema.ts';
import type { ToolSpec } from '../contracts/tool.ts';

const REFERENCE: JsonSchema = {
  type: 'object',
  properties: { $ref: { type: 'string' }, path: { type: 'string' } },
  required: ['$ref'],
  additionalProperties: false,
};

/** The JSON Schema of a plan over a catalogue, for providers that hold a model to one: only its tools can be named. */
export function planJsonSchema(tools: readonly Pick<ToolSpec, 'name'>[]): JsonSchema {
  const names = tools.map(({ name }) => name);
  return {
    type: 'object',
    properties: {
      nodes: {
        type: 'array',
        items: {
          type: 'object',
          properties: {
            id: { type: 'string', minLength: 1, maxLength: 64 },
            tool: names.length > 0 ? { type: 'string', enum: names } : { type: 'string' },
            args: { type: 'object', additionalProperties: true },
            deps: { type: 'array', items: { type: 'string' } },
            foreach: REFERENCE,
            optional: { type: 'boolean' },
          },
          required: ['id', 'tool', 'args'],
          additionalProperties: false,
        },
      },
      output: { type: 'string' },
    },
    required: ['nodes', 'output'],
    additionalProperties: false,
  };
}
