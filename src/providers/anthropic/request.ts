import type { Messages } from '@anthropic-ai/sdk/resources/messages';
import type { AnswerFormat, ModelRequest } from '../../contracts/model.ts';
import type { JsonObject } from '../../kernel/json.ts';
import {
  acceptsForcedTool,
  acceptsTemperature,
  alwaysThinks,
  lacksStructuredOutput,
  thinksByBudget,
} from '../model-traits.ts';
import { type OfferedTools, offerTools } from '../offered-tools.ts';
import { adaptToolSchema } from '../schema/adapt-schema.ts';
import type { AnswerWrap } from '../schema/restore-answer.ts';
import { ANTHROPIC_STRICT } from '../schema/strict-rules.ts';
import { strictSchema } from '../schema/strict-schema.ts';
import { wireName } from '../tool-names.ts';
import { markConversation } from './cache-markers.ts';
import { toSystemBlocks, toTurns } from './turns.ts';

type Body = Messages.MessageCreateParamsNonStreaming;

/** A request as Anthropic takes it, and what is needed to read its answer. */
export interface MessagesRequest {
  readonly body: Omit<Body, 'stream'> & { readonly temperature?: number };
  readonly offered: OfferedTools;
  readonly wrap: AnswerWrap | null;
  /** The arguments of the one tool are the text of the answer. */
  readonly isTextByTool: boolean;
}

const CACHED = { type: 'ephemeral' } as const;
const BUDGET_OF_EFFORT = { low: 1024, medium: 4096, high: 16_384 } as const;

/** The request for Anthropic; what the model does not accept is left out with a warning. */
export function buildMessagesRequest(request: ModelRequest, warn: (text: string) => void): MessagesRequest {
  const { model, messages, maxOutputTokens } = request;
  const offered = offerTools(request, warn);
  const answer = planAnswer(request, offered);
  const tools: Messages.Tool[] = [
    ...offered.tools.map(({ name, description, schema }) => toTool(name, description, schema)),
    ...(answer.tool === undefined ? [] : [answer.tool]),
  ];
  const system = toSystemBlocks(messages);
  const lastTool = tools.at(-1);
  if (lastTool !== undefined) lastTool.cache_control = CACHED;
  const lastBlock = system.at(-1);
  if (lastBlock !== undefined) lastBlock.cache_control = CACHED;
  const thinking = planThinking(request, warn);
  const outputConfig = { ...answer.outputConfig, ...thinking.outputConfig };
  const toolChoice = answer.toolChoice ?? chooseTools(request, tools.length, warn);
  return {
    body: {
      model,
      max_tokens: maxOutputTokens,
      messages: markConversation(toTurns(messages, model)) as Messages.MessageParam[],
      ...(system.length === 0 ? {} : { system }),
      ...(tools.length === 0 ? {} : { tools }),
      ...(toolChoice === undefined ? {} : { tool_choice: toolChoice }),
      ...(thinking.config === undefined ? {} : { thinking: thinking.config }),
      ...(Object.keys(outputConfig).length === 0 ? {} : { output_config: outputConfig }),
      ...temperatureOf(request, warn),
    },
    offered,
    wrap: answer.wrap,
    isTextByTool: answer.tool !== undefined,
  };
}

function toTool(name: string, description: string, schema: JsonObject): Messages.Tool {
  return { name, description, input_schema: schema as unknown as Messages.Tool.InputSchema };
}

interface AnswerPlan {
  readonly outputConfig?: Messages.OutputConfig;
  readonly tool?: Messages.Tool;
  readonly toolChoice?: Messages.ToolChoice;
  readonly wrap: AnswerWrap | null;
}

/**
 * How the model is held to the format: by structured output; where the schema or the model is not up to that, by a
 * tool that it must call; else by the instructions alone, which stand in the messages anyway.
 */
function planAnswer(request: ModelRequest, offered: OfferedTools): AnswerPlan {
  const { format, model, reasoning = 'none' } = request;
  if (format === undefined) return { wrap: null };
  const strict = lacksStructuredOutput(model) ? null : strictSchema(format.schema, ANTHROPIC_STRICT);
  if (strict !== null) {
    return {
      outputConfig: { format: { type: 'json_schema', schema: strict.schema } },
      wrap: { schema: format.schema, isWrapped: strict.isWrapped, hasAddedNulls: false },
    };
  }
  const mayForce = offered.tools.length === 0 && reasoning === 'none' && acceptsForcedTool(model);
  return mayForce ? planForcedTool(format) : { wrap: null };
}

function planForcedTool(format: AnswerFormat): AnswerPlan {
  const name = wireName(format.name);
  const direct = adaptToolSchema(format.schema);
  const schema = direct ?? {
    type: 'object',
    properties: { value: format.schema },
    required: ['value'],
  };
  return {
    tool: toTool(name, 'Gives the answer. Call it once, with the whole answer.', schema),
    toolChoice: { type: 'tool', name, disable_parallel_tool_use: true },
    wrap: { schema: format.schema, isWrapped: direct === null, hasAddedNulls: false },
  };
}

function chooseTools(
  { toolChoice = 'auto', model, reasoning = 'none' }: ModelRequest,
  tools: number,
  warn: (text: string) => void,
): Messages.ToolChoice | undefined {
  if (tools === 0) return undefined;
  if (toolChoice !== 'required') return { type: toolChoice };
  if (acceptsForcedTool(model) && reasoning === 'none') return { type: 'any' };
  warn(`${model} cannot be made to call a tool while it thinks; it may answer without`);
  return { type: 'auto' };
}

function planThinking(
  { model, reasoning, maxOutputTokens }: ModelRequest,
  warn: (text: string) => void,
): { config?: Messages.ThinkingConfigParam; outputConfig?: Messages.OutputConfig } {
  if (reasoning === undefined) return {};
  if (reasoning === 'none') {
    if (thinksByBudget(model)) return {};
    return alwaysThinks(model) ? { outputConfig: { effort: 'low' } } : { config: { type: 'disabled' } };
  }
  if (!thinksByBudget(model)) return { config: { type: 'adaptive' }, outputConfig: { effort: reasoning } };
  const budget = Math.min(BUDGET_OF_EFFORT[reasoning], Math.floor(maxOutputTokens / 2));
  if (budget >= BUDGET_OF_EFFORT.low) return { config: { type: 'enabled', budget_tokens: budget } };
  warn(`${model} does not think: maxOutputTokens ${maxOutputTokens} leaves no room for it`);
  return {};
}

function temperatureOf(
  { model, temperature, reasoning = 'none' }: ModelRequest,
  warn: (text: string) => void,
): { temperature?: number } {
  if (temperature === undefined) return {};
  // Its scale ends at 1, and thinking fixes it.
  if (acceptsTemperature(model) && reasoning === 'none') return { temperature: Math.min(1, temperature) };
  warn(`${model} takes no temperature; it is left out`);
  return {};
}
