/// <reference types="node" preserve="true" />
export {
  builtinTools,
  Catalogue,
  defineMock,
  defineTool,
  OrchestratorError,
  rateLimited,
  readSection,
  section,
  ToolError,
} from './authoring.ts';
export {
  answerQuestion,
  createAgent,
  exportLog,
  exportRun,
  forkTask,
  formatTrace,
  importLog,
  listQuestions,
  openRunStore,
  orchestrate,
  planTask,
  prepare,
  previewResume,
  openSessions,
  readExchanges,
  readTranscript,
  replayRun,
  resumeTask,
  verifyLog,
} from './compose.ts';
export type { AgentOptions } from './compose/agent-open.ts';
export type { AgentMessage, AgentReply, AgentSession } from './compose/agent-session.ts';
export type { AgentCallbacks, ClarifyQuestion, ToolProgress } from './compose/agent-callbacks.ts';
export type { Authorise } from './compose/authorise.ts';
export type { FoundMessage, SearchSessions, SessionHit } from './compose/own-tools.ts';
export type { Exchange } from './compose/session-reading.ts';
export type { SessionLine, TranscribedExchange } from './compose/session-record.ts';
export type { Sessions } from './compose/sessions.ts';
export type { PlanResult, ReplayOptions } from './compose.ts';
export type { ApprovalAnswer, ApprovalQuestion, DriveOptions, RunOptions } from './compose/run-options.ts';
export type { AnswerReport, GivenAnswer, OpenQuestion } from './compose/questions.ts';
export type { ForkOptions } from './compose/fork-task.ts';
export type { ResumeOptions } from './compose/resume-task.ts';
export type { ResumePreview } from './compose/resume-preview.ts';
export type { ExportedRun, ImportReport } from './compose/transfer-run.ts';
export type { LogFault, LogVerification } from './compose/verify-log.ts';
export type { Prepared, TaskValue } from './compose/prepare.ts';
export type { CheckContext, CheckFunction } from './compose/function-checks.ts';
export type {
  AskRequest,
  Image,
  Message,
  ModelAnswer,
  ModelDelta,
  ModelRequest,
  ToolCall,
  Usage,
} from './contracts/model.ts';
export type { Clock, OpenRun, Provider, ProviderContext, Random, RunStore } from './contracts/ports.ts';
export type { HookedCall, HookedOutcome, Hooks, PreToolDecision } from './contracts/hooks.ts';
export type { Failure } from './contracts/failure.ts';
export type {
  MemoryEntry,
  MemoryHit,
  MemoryProvenance,
  MemoryRecord,
  MemoryStats,
  MemoryStore,
  MemoryTier,
} from './contracts/memory.ts';
export type { JsonSchema } from './contracts/schema.ts';
export type { Plan, PlanEstimate, PlanNode, PlanProblem } from './contracts/plan.ts';
export type { Price } from './contracts/budget.ts';
export type { ChildGroup, ProcessExit, ProcessRequest } from './contracts/process.ts';
export type { Task, TaskInput } from './contracts/task.ts';
export type { Tool, ToolContext, ToolEffect, ToolSpec, TraceCarrier } from './contracts/tool.ts';
export type { Verdict } from './contracts/verdict.ts';
export type { Divergence, NotRecomputed, ReplayReport } from './engine/replay.ts';
export type { FlightEvent } from './flight/events.ts';
export type { Blame, ErrorCode, FailureClass } from './kernel/errors.ts';
export type { Json, JsonObject } from './kernel/json.ts';
export type { MockDefinition, MockKit, MockReply, MockRole } from './providers/mock.ts';
export type { RunResult, RunStatus } from './run/run-result.ts';
export type { RunState } from './run/state.ts';
export type { CheckedServer } from './compose/server-pins.ts';
export type { PublishedCatalogue } from './tools/catalogue.ts';
export type { ToolDefinition, ToolSchema } from './tools/define-tool.ts';
