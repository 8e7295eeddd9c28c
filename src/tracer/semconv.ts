/*
 * Every name that telemetry carries. `gen_ai.*` and `error.type` follow the OpenTelemetry conventions for generative AI,
 * release 0.1.0 of open-telemetry/semantic-conventions-genai; what they do not cover is named `sortie.*`.
 */

/** What a span is of: the values of `gen_ai.operation.name`, and the first word of the span's name. */
export const OPERATION = {
  invokeAgent: 'invoke_agent',
  plan: 'plan',
  chat: 'chat',
  executeTool: 'execute_tool',
  searchMemory: 'search_memory',
  upsertMemory: 'upsert_memory',
} as const;

/** Keys of attributes of spans and of their events. */
export const ATTRIBUTE = {
  operationName: 'gen_ai.operation.name',
  providerName: 'gen_ai.provider.name',
  conversationId: 'gen_ai.conversation.id',
  agentName: 'gen_ai.agent.name',
  agentId: 'gen_ai.agent.id',
  requestModel: 'gen_ai.request.model',
  requestMaxTokens: 'gen_ai.request.max_tokens',
  requestTemperature: 'gen_ai.request.temperature',
  outputType: 'gen_ai.output.type',
  responseId: 'gen_ai.response.id',
  responseModel: 'gen_ai.response.model',
  responseFinishReasons: 'gen_ai.response.finish_reasons',
  usageInputTokens: 'gen_ai.usage.input_tokens',
  usageOutputTokens: 'gen_ai.usage.output_tokens',
  usageCacheReadTokens: 'gen_ai.usage.cache_read.input_tokens',
  usageCacheWriteTokens: 'gen_ai.usage.cache_write.input_tokens',
  /** Its name before the release; Jaeger's row of tokens still reads this one. */
  usageCacheCreationTokens: 'gen_ai.usage.cache_creation.input_tokens',
  usageReasoningTokens: 'gen_ai.usage.reasoning.output_tokens',
  tokenModality: 'gen_ai.token.modality',
  toolName: 'gen_ai.tool.name',
  toolType: 'gen_ai.tool.type',
  toolDescription: 'gen_ai.tool.description',
  toolCallId: 'gen_ai.tool.call.id',
  toolCallArguments: 'gen_ai.tool.call.arguments',
  toolCallResult: 'gen_ai.tool.call.result',
  systemInstructions: 'gen_ai.system_instructions',
  inputMessages: 'gen_ai.input.messages',
  outputMessages: 'gen_ai.output.messages',
  memoryRecordCount: 'gen_ai.memory.record.count',
  evaluationName: 'gen_ai.evaluation.name',
  evaluationScoreValue: 'gen_ai.evaluation.score.value',
  evaluationScoreLabel: 'gen_ai.evaluation.score.label',
  evaluationExplanation: 'gen_ai.evaluation.explanation',
  errorType: 'error.type',

  runId: 'sortie.run.id',
  runStatus: 'sortie.run.status',
  rulesVersion: 'sortie.rules.version',
  effectKey: 'sortie.effect.key',
  role: 'sortie.role',
  usageEstimated: 'sortie.usage.estimated',
  agentStatus: 'sortie.agent.status',
  agentReason: 'sortie.agent.reason',
  agentRound: 'sortie.agent.round',
  nodeId: 'sortie.node.id',
  nodeState: 'sortie.node.state',
  nodeAttempt: 'sortie.node.attempt',
  nodeReason: 'sortie.node.reason',
  nodeFrom: 'sortie.node.from',
  nodeDependency: 'sortie.node.dependency',
  foreachNode: 'sortie.foreach.node',
  foreachItems: 'sortie.foreach.items',
  argsDigest: 'sortie.args.digest',
  planVersion: 'sortie.plan.version',
  planHash: 'sortie.plan.hash',
  planNodes: 'sortie.plan.nodes',
  planProblems: 'sortie.plan.problems',
  replanReason: 'sortie.replan.reason',
  replanFailed: 'sortie.replan.failed',
  levelNumber: 'sortie.level.number',
  levelNodes: 'sortie.level.nodes',
  retryDelayMs: 'sortie.retry.delay_ms',
  amendedBy: 'sortie.amended.by',
  fallbackFrom: 'sortie.fallback.from',
  fallbackTo: 'sortie.fallback.to',
  approvalDecision: 'sortie.approval.decision',
  approvalBy: 'sortie.approval.by',
  budgetMode: 'sortie.budget.mode',
  budgetPressure: 'sortie.budget.pressure',
  budgetDimension: 'sortie.budget.dimension',
  budgetReserved: 'sortie.budget.reserved',
  budgetUsed: 'sortie.budget.used',
  verdictTier: 'sortie.verdict.tier',
  verdictFailedChecks: 'sortie.verdict.failed_checks',
  /** Key of the model call that is recalled for. */
  memoryCall: 'sortie.memory.call',
  memorySimilarity: 'sortie.memory.similarity',
  memoryModel: 'sortie.memory.model',
  memoryContext: 'sortie.memory.context',
  failureClass: 'sortie.failure.class',
  message: 'sortie.message',
  linkKind: 'sortie.link.kind',
  replay: 'sortie.replay',
  replayEvents: 'sortie.replay.events',
  replayWarnings: 'sortie.replay.warnings',
  replaySeq: 'sortie.replay.seq',
  replayEventType: 'sortie.replay.event_type',
  replayField: 'sortie.replay.field',
  /** True where the log ends, or its process died, before the end of what the span stands for. */
  unfinished: 'sortie.span.unfinished',
  /** By how many milliseconds the log has it end after its parent, with which the span is cut off. */
  outlastedParentMs: 'sortie.span.outlasted_parent_ms',
} as const;

/** Names of the events on spans. */
export const SPAN_EVENT = {
  evaluationResult: 'gen_ai.evaluation.result',
  planAccepted: 'sortie.plan.accepted',
  planRejected: 'sortie.plan.rejected',
  replanStarted: 'sortie.replan.started',
  levelStarted: 'sortie.level.started',
  pressureChanged: 'sortie.budget.pressure_changed',
  budgetOverrun: 'sortie.budget.overrun',
  modelRefused: 'sortie.model.refused',
  nodeExpanded: 'sortie.node.expanded',
  nodeReused: 'sortie.node.reused',
  nodeAmended: 'sortie.node.amended',
  nodeFailed: 'sortie.node.failed',
  nodeSkipped: 'sortie.node.skipped',
  nodeRefused: 'sortie.node.refused',
  retryScheduled: 'sortie.retry.scheduled',
  approvalRequested: 'sortie.approval.requested',
  approvalDecided: 'sortie.approval.decided',
  askFailed: 'sortie.ask.failed',
  askReused: 'sortie.ask.reused',
  modelWarned: 'sortie.model.warned',
  fallbackChosen: 'sortie.fallback.chosen',
  credentialRequested: 'sortie.credential.requested',
  credentialRefreshed: 'sortie.credential.refreshed',
  toolLogged: 'sortie.tool.logged',
  cancelRequested: 'sortie.cancel.requested',
  runInterrupted: 'sortie.run.interrupted',
  runResumed: 'sortie.run.resumed',
  runForked: 'sortie.run.forked',
  agentStopped: 'sortie.agent.stopped',
  agentInterrupted: 'sortie.agent.interrupted',
  contextCompressed: 'sortie.agent.context_compressed',
  callAmended: 'sortie.call.amended',
  callRefused: 'sortie.call.refused',
  turnUnreadable: 'sortie.turn.unreadable',
  replayDiverged: 'sortie.replay.diverged',
} as const;

/** Names and values that are fixed. */
export const SEMCONV_VALUE = {
  /** The agent that judges the report: the span around the checks and the judge. */
  criticAgent: 'critic',
  toolTypeFunction: 'function',
  outputTypeJson: 'json',
  evaluationName: 'sortie.verdict',
  linkRetryOf: 'retry_of',
  linkRepairs: 'repairs',
  linkResumes: 'resumes',
  linkForkedFrom: 'forked_from',
  linkReplayOf: 'replay_of',
  finishReasonError: 'error',
  modalityUnknown: 'unknown',
} as const;

/** A metric: its name, what it counts or measures, in which unit, and the limits of a histogram's buckets. */
interface Instrument {
  readonly name: string;
  readonly kind: 'histogram' | 'counter' | 'gauge';
  readonly unit: string;
  readonly description: string;
  readonly buckets?: readonly number[];
}

const growing = (first: number, factor: number, count: number): readonly number[] =>
  Array.from({ length: count }, (_, index) => Number((first * factor ** index).toPrecision(12)));
const SHORT_SECONDS = growing(0.01, 2, 14);
const LONG_SECONDS = growing(0.1, 2, 13);
const TOKENS = growing(1, 4, 14);
const CALLS = growing(1, 2, 8);

/** Every metric. The buckets are those of the conventions. */
export const INSTRUMENT = {
  inferenceDuration: histogram(
    'gen_ai.client.inference.duration',
    's',
    'Duration of a model call.',
    SHORT_SECONDS,
  ),
  inputTokensPerCall: histogram(
    'gen_ai.client.inference.operation.input_tokens',
    '{token}',
    'Input tokens of a model call.',
    TOKENS,
  ),
  outputTokensPerCall: histogram(
    'gen_ai.client.inference.operation.output_tokens',
    '{token}',
    'Output tokens of a model call.',
    TOKENS,
  ),
  inputTokens: counter('gen_ai.client.inference.usage.input_tokens', '{token}', 'Input tokens used.'),
  outputTokens: counter('gen_ai.client.inference.usage.output_tokens', '{token}', 'Output tokens used.'),
  cacheReadTokens: counter(
    'gen_ai.client.inference.usage.cache_read.input_tokens',
    '{token}',
    'Input tokens served from a cache of the provider.',
  ),
  cacheWriteTokens: counter(
    'gen_ai.client.inference.usage.cache_write.input_tokens',
    '{token}',
    'Input tokens written to a cache of the provider.',
  ),
  reasoningTokens: counter(
    'gen_ai.client.inference.usage.reasoning.output_tokens',
    '{token}',
    'Output tokens used for reasoning.',
  ),
  toolDuration: histogram('gen_ai.execute_tool.duration', 's', 'Duration of a tool call.', SHORT_SECONDS),
  agentDuration: histogram('gen_ai.invoke_agent.duration', 's', 'Duration of a run.', LONG_SECONDS),
  agentInferenceCalls: histogram(
    'gen_ai.invoke_agent.inference_calls',
    '{inference_call}',
    'Model calls of a run.',
    CALLS,
  ),
  agentToolCalls: histogram('gen_ai.invoke_agent.tool_calls', '{tool_call}', 'Tool calls of a run.', CALLS),
  nodes: counter('sortie.nodes', '{node}', 'Nodes by the state that they ended in.'),
  pressure: {
    ...{ name: 'sortie.budget.pressure', kind: 'gauge', unit: '1' },
    description: 'Share of the limit that is used up at the end of a run.',
  },
} as const satisfies Record<string, Instrument>;

/** A metric of the table. */
export type InstrumentName = keyof typeof INSTRUMENT;

function histogram(name: string, unit: string, description: string, buckets: readonly number[]): Instrument {
  return { name, kind: 'histogram', unit, description, buckets };
}

function counter(name: string, unit: string, description: string): Instrument {
  return { name, kind: 'counter', unit, description };
}

/** Names of providers that the conventions know by another one. */
const CONVENTIONAL_PROVIDERS: Readonly<Record<string, string>> = { 'openai-responses': 'openai' };

/** A provider as the conventions name it, from its name or its id in the log (`openai#2`). */
export function conventionalProvider(id: string): string {
  const name = id.replace(/#\d+$/, '');
  return Object.hasOwn(CONVENTIONAL_PROVIDERS, name) ? (CONVENTIONAL_PROVIDERS[name] ?? name) : name;
}

/** Why a model stopped, as the conventions word it. */
export function conventionalFinish(stop: string): string {
  return stop === 'tool_calls' ? 'tool_call' : stop;
}
