/*
 * Every name that a trace carries. `gen_ai.*` and `error.type` follow the OpenTelemetry conventions for generative AI;
 * what they do not cover is named `sortie.*`.
 */

/** What a span is of: the values of `gen_ai.operation.name`, and the first word of the span's name. */
export const OPERATION = {
  invokeAgent: 'invoke_agent',
  plan: 'plan',
  chat: 'chat',
  executeTool: 'execute_tool',
} as const;

/** Keys of attributes of spans and of their events. */
export const ATTRIBUTE = {
  operationName: 'gen_ai.operation.name',
  providerName: 'gen_ai.provider.name',
  agentName: 'gen_ai.agent.name',
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
  usageCacheWriteTokens: 'gen_ai.usage.cache_creation.input_tokens',
  usageReasoningTokens: 'gen_ai.usage.reasoning.output_tokens',
  toolName: 'gen_ai.tool.name',
  toolType: 'gen_ai.tool.type',
  toolCallId: 'gen_ai.tool.call.id',
  toolCallArguments: 'gen_ai.tool.call.arguments',
  toolCallResult: 'gen_ai.tool.call.result',
  systemInstructions: 'gen_ai.system_instructions',
  inputMessages: 'gen_ai.input.messages',
  outputMessages: 'gen_ai.output.messages',
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
  nodeId: 'sortie.node.id',
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
  approvalDecision: 'sortie.approval.decision',
  approvalBy: 'sortie.approval.by',
  budgetMode: 'sortie.budget.mode',
  budgetPressure: 'sortie.budget.pressure',
  budgetDimension: 'sortie.budget.dimension',
  budgetReserved: 'sortie.budget.reserved',
  budgetUsed: 'sortie.budget.used',
  verdictTier: 'sortie.verdict.tier',
  verdictFailedChecks: 'sortie.verdict.failed_checks',
  failureClass: 'sortie.failure.class',
  message: 'sortie.message',
  linkKind: 'sortie.link.kind',
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
  toolLogged: 'sortie.tool.logged',
  cancelRequested: 'sortie.cancel.requested',
  runInterrupted: 'sortie.run.interrupted',
  runResumed: 'sortie.run.resumed',
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
} as const;
