import type { AskRequest, ModelAnswer } from '../contracts/model.ts';
import { listProviders } from '../contracts/provider-chain.ts';
import type { Task } from '../contracts/task.ts';
import type { PlanNode } from '../contracts/plan.ts';
import type { EventOf } from '../flight/events.ts';
import { canonicalJson } from '../kernel/canonical-json.ts';
import { attemptKey } from '../run/effect-key.ts';
import { ATTRIBUTE, OPERATION, SEMCONV_VALUE } from './semconv.ts';
import { inputContent, instructionsContent, outputContent } from './span-content.ts';
import type { AttributeValue } from './span.ts';

type MutableAttributes = Record<string, AttributeValue>;

/** Attributes of the span of a whole run. */
export function runAttributes(started: EventOf<'run.started'>, captureContent: boolean): MutableAttributes {
  return {
    [ATTRIBUTE.operationName]: OPERATION.invokeAgent,
    [ATTRIBUTE.agentName]: started.task.name,
    [ATTRIBUTE.providerName]: firstProvider(started),
    [ATTRIBUTE.runId]: started.runId,
    [ATTRIBUTE.rulesVersion]: started.rules,
    ...(captureContent ? { [ATTRIBUTE.inputMessages]: inputContent(started.goal) } : {}),
  };
}

function firstProvider(started: EventOf<'run.started'>): string {
  return listProviders(started.task as Task)[0]?.name ?? '';
}

/** Attributes of a model call when it starts; `ask` is the question of the tool that makes it. */
export function requestAttributes(
  requested: EventOf<'model.requested'>,
  ask: AskRequest | undefined,
  captureContent: boolean,
): MutableAttributes {
  const attributes: MutableAttributes = {
    [ATTRIBUTE.operationName]: OPERATION.chat,
    [ATTRIBUTE.providerName]: requested.provider,
    [ATTRIBUTE.role]: requested.role,
    [ATTRIBUTE.effectKey]: requested.key,
  };
  if (requested.node !== undefined) attributes[ATTRIBUTE.nodeId] = requested.node;
  if (requested.model !== '') attributes[ATTRIBUTE.requestModel] = requested.model;
  if (ask === undefined) return attributes;
  if (ask.maxOutputTokens !== undefined) attributes[ATTRIBUTE.requestMaxTokens] = ask.maxOutputTokens;
  if (ask.temperature !== undefined) attributes[ATTRIBUTE.requestTemperature] = ask.temperature;
  if (ask.format !== undefined) attributes[ATTRIBUTE.outputType] = SEMCONV_VALUE.outputTypeJson;
  if (!captureContent) return attributes;
  attributes[ATTRIBUTE.inputMessages] = inputContent(ask.prompt);
  if (ask.instructions !== undefined) {
    attributes[ATTRIBUTE.systemInstructions] = instructionsContent(ask.instructions);
  }
  return attributes;
}

/** Attributes that a model call gains with its answer, the usage among them. */
export function answerAttributes(answer: ModelAnswer, captureContent: boolean): MutableAttributes {
  const { usage } = answer;
  const attributes: MutableAttributes = {
    [ATTRIBUTE.responseModel]: answer.model,
    [ATTRIBUTE.responseFinishReasons]: [answer.stop],
    [ATTRIBUTE.usageInputTokens]: usage.inputTokens,
    [ATTRIBUTE.usageOutputTokens]: usage.outputTokens,
  };
  if (answer.provider !== undefined) attributes[ATTRIBUTE.providerName] = answer.provider;
  if (answer.id !== undefined) attributes[ATTRIBUTE.responseId] = answer.id;
  if (usage.cacheReadTokens !== undefined) attributes[ATTRIBUTE.usageCacheReadTokens] = usage.cacheReadTokens;
  if (usage.cacheWriteTokens !== undefined)
    attributes[ATTRIBUTE.usageCacheWriteTokens] = usage.cacheWriteTokens;
  if (usage.reasoningTokens !== undefined) attributes[ATTRIBUTE.usageReasoningTokens] = usage.reasoningTokens;
  if (usage.estimated === true) attributes[ATTRIBUTE.usageEstimated] = true;
  if (captureContent) attributes[ATTRIBUTE.outputMessages] = outputContent(answer.text, answer.stop);
  return attributes;
}

/** Attributes of one attempt of a node. Captured arguments are those of the plan, references as written. */
export function attemptAttributes(
  started: EventOf<'node.started'>,
  node: Pick<PlanNode, 'id' | 'tool' | 'args'> | undefined,
  captureContent: boolean,
): MutableAttributes {
  const attributes: MutableAttributes = {
    [ATTRIBUTE.operationName]: OPERATION.executeTool,
    [ATTRIBUTE.toolName]: node?.tool ?? started.node,
    [ATTRIBUTE.toolType]: SEMCONV_VALUE.toolTypeFunction,
    [ATTRIBUTE.toolCallId]: attemptKey(started.node, started.attempt),
    [ATTRIBUTE.nodeId]: started.node,
    [ATTRIBUTE.nodeAttempt]: started.attempt,
    [ATTRIBUTE.argsDigest]: started.args,
  };
  if (node === undefined) return attributes;
  if (node.id !== started.node) attributes[ATTRIBUTE.foreachNode] = node.id;
  if (captureContent) attributes[ATTRIBUTE.toolCallArguments] = canonicalJson(node.args);
  return attributes;
}
