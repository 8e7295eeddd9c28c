import type { AskRequest, ModelAnswer } from '../contracts/model.ts';
import { listProviders } from '../contracts/provider-chain.ts';
import type { Task } from '../contracts/task.ts';
import type { PlanNode } from '../contracts/plan.ts';
import type { EventOf } from '../flight/events.ts';
import type { Json } from '../kernel/json.ts';
import { attemptKey } from '../run/effect-key.ts';
import { ATTRIBUTE, conventionalFinish, conventionalProvider, OPERATION, SEMCONV_VALUE } from './semconv.ts';
import { answerContent, inputContent, textOf } from './span-content.ts';
import type { AttributeValue } from './span.ts';

type MutableAttributes = Record<string, AttributeValue>;

/** The run that spans belong to, as it is at the moment: a fork has another id, and perhaps another goal. */
export interface TracedRun {
  readonly runId: string;
  readonly goal: string;
  readonly rules: number;
  readonly task: Pick<Task, 'name' | 'provider' | 'models'>;
}

/** Attributes of the span of a whole run. */
export function runAttributes(run: TracedRun, captureContent: boolean): MutableAttributes {
  return {
    [ATTRIBUTE.operationName]: OPERATION.invokeAgent,
    [ATTRIBUTE.agentName]: run.task.name,
    [ATTRIBUTE.conversationId]: run.runId,
    [ATTRIBUTE.providerName]: conventionalProvider(listProviders(run.task)[0]?.name ?? ''),
    [ATTRIBUTE.runId]: run.runId,
    [ATTRIBUTE.rulesVersion]: run.rules,
    ...(captureContent ? { [ATTRIBUTE.inputMessages]: inputContent(run.goal) } : {}),
  };
}

/** Attributes of a model call when it starts; `ask` is the question of the tool that makes it. */
export function requestAttributes(
  requested: EventOf<'model.requested'>,
  runId: string,
  ask: AskRequest | undefined,
): MutableAttributes {
  const attributes: MutableAttributes = {
    [ATTRIBUTE.operationName]: OPERATION.chat,
    [ATTRIBUTE.conversationId]: runId,
    [ATTRIBUTE.providerName]: conventionalProvider(requested.provider),
    [ATTRIBUTE.role]: requested.role,
    [ATTRIBUTE.effectKey]: requested.key,
  };
  if (requested.node !== undefined) attributes[ATTRIBUTE.nodeId] = requested.node;
  if (requested.model !== '') attributes[ATTRIBUTE.requestModel] = requested.model;
  if (ask === undefined) return attributes;
  if (ask.maxOutputTokens !== undefined) attributes[ATTRIBUTE.requestMaxTokens] = ask.maxOutputTokens;
  if (ask.temperature !== undefined) attributes[ATTRIBUTE.requestTemperature] = ask.temperature;
  if (ask.format !== undefined) attributes[ATTRIBUTE.outputType] = SEMCONV_VALUE.outputTypeJson;
  return attributes;
}

/** Attributes that a model call gains with its answer, the usage among them. */
export function answerAttributes(answer: ModelAnswer, captureContent: boolean): MutableAttributes {
  const attributes: MutableAttributes = {
    [ATTRIBUTE.responseModel]: answer.model,
    [ATTRIBUTE.responseFinishReasons]: [conventionalFinish(answer.stop)],
    ...usageAttributes(answer.usage),
  };
  if (answer.provider !== undefined) {
    attributes[ATTRIBUTE.providerName] = conventionalProvider(answer.provider);
  }
  if (answer.id !== undefined) attributes[ATTRIBUTE.responseId] = answer.id;
  if (captureContent) attributes[ATTRIBUTE.outputMessages] = answerContent(answer);
  return attributes;
}

/** Attributes that a model call gains with its failure: the reason, and what was used all the same. */
export function failedCallAttributes({ usage }: EventOf<'model.failed'>): MutableAttributes {
  return {
    [ATTRIBUTE.responseFinishReasons]: [SEMCONV_VALUE.finishReasonError],
    ...(usage === undefined ? {} : usageAttributes(usage)),
  };
}

function usageAttributes(usage: ModelAnswer['usage']): MutableAttributes {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, reasoningTokens } = usage;
  return {
    [ATTRIBUTE.usageInputTokens]: inputTokens,
    [ATTRIBUTE.usageOutputTokens]: outputTokens,
    ...(cacheReadTokens === undefined ? {} : { [ATTRIBUTE.usageCacheReadTokens]: cacheReadTokens }),
    ...(cacheWriteTokens === undefined
      ? {}
      : {
          [ATTRIBUTE.usageCacheWriteTokens]: cacheWriteTokens,
          [ATTRIBUTE.usageCacheCreationTokens]: cacheWriteTokens,
        }),
    ...(reasoningTokens === undefined ? {} : { [ATTRIBUTE.usageReasoningTokens]: reasoningTokens }),
    ...(usage.estimated === true ? { [ATTRIBUTE.usageEstimated]: true } : {}),
  };
}

/** What is known of the tool call that an attempt makes. */
interface AttemptContext {
  readonly run: TracedRun;
  readonly node: Pick<PlanNode, 'id' | 'tool' | 'args'> | undefined;
  readonly description: string | undefined;
  /** The arguments of the call where they are captured: those of the plan, or those that it was made with. */
  readonly args: Json | undefined;
}

/** Attributes of one attempt of a node. */
export function attemptAttributes(
  started: EventOf<'node.started'>,
  { run, node, description, args }: AttemptContext,
): MutableAttributes {
  const attributes: MutableAttributes = {
    [ATTRIBUTE.operationName]: OPERATION.executeTool,
    [ATTRIBUTE.agentName]: run.task.name,
    [ATTRIBUTE.conversationId]: run.runId,
    [ATTRIBUTE.toolName]: node?.tool ?? started.node,
    [ATTRIBUTE.toolType]: SEMCONV_VALUE.toolTypeFunction,
    [ATTRIBUTE.toolCallId]: attemptKey(started.node, started.attempt),
    [ATTRIBUTE.nodeId]: started.node,
    [ATTRIBUTE.nodeAttempt]: started.attempt,
    [ATTRIBUTE.argsDigest]: started.args,
  };
  if (description !== undefined) attributes[ATTRIBUTE.toolDescription] = description;
  if (node !== undefined && node.id !== started.node) attributes[ATTRIBUTE.foreachNode] = node.id;
  if (args !== undefined) attributes[ATTRIBUTE.toolCallArguments] = textOf(args);
  return attributes;
}

/** Attributes of an exchange of an agent of the run. */
export function agentAttributes(
  { agent, task }: EventOf<'agent.started'>,
  { run, called }: { readonly run: TracedRun; readonly called: string },
  captureContent: boolean,
): MutableAttributes {
  return {
    [ATTRIBUTE.operationName]: OPERATION.invokeAgent,
    [ATTRIBUTE.agentName]: called,
    [ATTRIBUTE.agentId]: agent,
    [ATTRIBUTE.conversationId]: run.runId,
    [ATTRIBUTE.providerName]: conventionalProvider(listProviders(run.task)[0]?.name ?? ''),
    [ATTRIBUTE.effectKey]: agent,
    ...(captureContent ? { [ATTRIBUTE.inputMessages]: inputContent(task) } : {}),
  };
}

/** Attributes of one attempt of a call of an agent; `agent` is the name of the one that makes it. */
export function agentCallAttributes(
  { key, tool, attempt, args: digest }: EventOf<'call.started'>,
  { run, agent, description, args }: Pick<AttemptContext, 'run' | 'description' | 'args'> & { agent: string },
): MutableAttributes {
  return {
    [ATTRIBUTE.operationName]: OPERATION.executeTool,
    [ATTRIBUTE.agentName]: agent,
    [ATTRIBUTE.conversationId]: run.runId,
    [ATTRIBUTE.toolName]: tool,
    [ATTRIBUTE.toolType]: SEMCONV_VALUE.toolTypeFunction,
    [ATTRIBUTE.toolCallId]: key,
    [ATTRIBUTE.nodeAttempt]: attempt,
    [ATTRIBUTE.argsDigest]: digest,
    ...(description === undefined ? {} : { [ATTRIBUTE.toolDescription]: description }),
    ...(args === undefined ? {} : { [ATTRIBUTE.toolCallArguments]: textOf(args) }),
  };
}
