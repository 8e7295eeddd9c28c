import { describe, expect, it } from 'vitest';
import type { ModelRequest } from '../../../src/contracts/model.ts';
import { section } from '../../../src/contracts/section.ts';
import { buildMessagesRequest } from '../../../src/providers/anthropic/request.ts';

function build(rest: Partial<ModelRequest>): { body: Record<string, unknown>; warnings: string[] } {
  const warnings: string[] = [];
  const request: ModelRequest = {
    role: 'r',
    model: 'claude-sonnet-5-5',
    messages: [{ role: 'user', content: 'Hello.' }],
    maxOutputTokens: 8000,
    ...rest,
  };
  const { body } = buildMessagesRequest(request, (text) => warnings.push(text));
  return { body: { ...body }, warnings };
}

const FREE_FORM = {
  name: 'plan',
  schema: { type: 'object', properties: { args: { type: 'object' } } },
} as const;
const CLOSED = { name: 'score', schema: { type: 'object', properties: { n: { type: 'number' } } } } as const;
const TOOLS = [{ name: 'a', description: 'A.', input: { type: 'object', properties: {} } }] as const;
const CACHED = { type: 'ephemeral' };

describe('answer formats', () => {
  it('are enforced by structured output where the schema and the model allow it', () => {
    expect(build({ format: CLOSED }).body).toMatchObject({
      output_config: { format: { type: 'json_schema', schema: { additionalProperties: false } } },
    });
  });

  it('are asked for by a tool that must be called where the model is older, or the schema has free parts', () => {
    for (const [model, format] of [
      ['claude-3-7-sonnet-20250219', CLOSED],
      ['claude-opus-4-1', CLOSED],
      ['claude-sonnet-4-5', FREE_FORM],
    ] as const) {
      const { body } = build({ model, format });
      expect(body).toMatchObject({
        tools: [{ name: format.name, input_schema: format.schema }],
        tool_choice: { type: 'tool', name: format.name },
      });
      expect(body).not.toHaveProperty('output_config');
    }
  });

  it('are left to the instructions where the model cannot be made to call a tool', () => {
    for (const rest of [
      { model: 'claude-opus-5-5' },
      { model: 'claude-sonnet-4-5', reasoning: 'low' as const },
      { model: 'claude-sonnet-4-5', tools: TOOLS },
    ]) {
      expect(build({ ...rest, format: FREE_FORM }).body['tool_choice']).not.toMatchObject({ type: 'tool' });
    }
  });
});

describe('what models accept', () => {
  it('a temperature only the older ones', () => {
    expect(build({ model: 'claude-haiku-4-5', temperature: 1.5 }).body).toMatchObject({ temperature: 1 });
    const { body, warnings } = build({ model: 'claude-opus-4-7', temperature: 0 });
    expect(body).not.toHaveProperty('temperature');
    expect(warnings).toEqual(['claude-opus-4-7 takes no temperature; it is left out']);
  });

  it('thinking by budget or by effort, and no switching off where it is always on', () => {
    const thinking = (model: string, reasoning: ModelRequest['reasoning'] & string): unknown => {
      const { body } = build({ model, reasoning });
      return [body['thinking'], body['output_config']];
    };
    expect(thinking('claude-haiku-4-5', 'medium')).toEqual([
      { type: 'enabled', budget_tokens: 4000 },
      undefined,
    ]);
    expect(thinking('claude-sonnet-5-5', 'high')).toEqual([{ type: 'adaptive' }, { effort: 'high' }]);
    expect(thinking('claude-sonnet-5-5', 'none')).toEqual([{ type: 'disabled' }, undefined]);
    expect(thinking('claude-opus-5-5', 'none')).toEqual([undefined, { effort: 'low' }]);
    expect(build({ model: 'claude-haiku-4-5', reasoning: 'low', maxOutputTokens: 1500 })).toMatchObject({
      warnings: [expect.stringContaining('leaves no room')],
    });
  });

  it('a call of a tool by force only those that do not think', () => {
    const choice = (model: string): unknown =>
      build({ model, tools: TOOLS, toolChoice: 'required' }).body['tool_choice'];
    expect(choice('claude-sonnet-4-5')).toEqual({ type: 'any' });
    expect(choice('claude-opus-5-5')).toEqual({ type: 'auto' });
  });
});

describe('cache markers', () => {
  const catalogue = `${section('goal', 'compare')}\n${section('catalogue', [{ name: 'a' }])}\n${section('limits', { maxNodes: 5 })}`;

  it('stand behind the tools, the system prompt and the catalogue', () => {
    const messages = [
      { role: 'system', content: 'You plan.' },
      { role: 'user', content: catalogue },
    ] as const;
    const { body } = build({ messages, tools: TOOLS });
    expect(body['tools']).toMatchObject([{ cache_control: CACHED }]);
    expect(body['system']).toEqual([{ type: 'text', text: 'You plan.', cache_control: CACHED }]);
    const [turn] = body['messages'] as { content: { text: string; cache_control?: object }[] }[];
    expect(turn?.content.map(({ cache_control: mark }) => mark)).toEqual([CACHED, undefined]);
    expect(turn?.content[0]?.text).toMatch(/<\/catalogue>$/);
    expect(turn?.content.map(({ text }) => text).join('')).toBe(catalogue);
  });

  it('stand at the end of a conversation that goes on, and not of one question', () => {
    const once = build({}).body['messages'] as { content: object[] }[];
    expect(once[0]?.content).toEqual([{ type: 'text', text: 'Hello.' }]);
    const messages = [
      { role: 'user', content: catalogue },
      { role: 'assistant', content: 'No plan.' },
      { role: 'user', content: 'Again.' },
    ] as const;
    const turns = build({ messages }).body['messages'] as { content: object[] }[];
    expect(turns.at(-1)?.content).toEqual([{ type: 'text', text: 'Again.', cache_control: CACHED }]);
    const marks = JSON.stringify(build({ messages, tools: TOOLS }).body).match(/cache_control/g);
    expect(marks).toHaveLength(3);
  });
});
