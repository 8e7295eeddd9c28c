import type { AgentCrew } from '../agent/crew.ts';
import { singleAgentPlan } from '../agent/planned-delegate.ts';
import type { BudgetMode, Reservation } from '../contracts/budget.ts';
import type { Failure } from '../contracts/failure.ts';
import type { AskRequest, ModelAnswer } from '../contracts/model.ts';
import type { Plan, PlanProblem } from '../contracts/plan.ts';
import { listProviders } from '../contracts/provider-chain.ts';
import type { Task } from '../contracts/task.ts';
import type { ToolSpec } from '../contracts/tool.ts';
import type { CheckResult } from '../contracts/verdict.ts';
import { type Amounts, createLedger, type Ledger } from '../budget/ledger.ts';
import type { PlannedFailure } from '../planner/plan-request.ts';
import type { EventOf } from '../flight/events.ts';
import type { Json } from '../kernel/json.ts';
import type { CallPurpose } from './effect-key.ts';
import type { NodeState, RecordedAnswer } from './node-state.ts';
import { createReach, type PlanReach } from './plan-reach.ts';
import { ReadyQueue } from './ready-queue.ts';
import { createRecallState, type RecallState } from './recall-state.ts';

/** Where a run stands. */
export type Phase = 'planning' | 'walking' | 'judged' | 'session';

/** An agent that is talked to. */
export interface Session {
  /** Somebody may still say something in this process. */
  isOpen: boolean;
  exchanges: number;
  /** Key of the newest exchange; null before the first. */
  current: string | null;
  /** What was said and has begun no exchange yet. */
  readonly received: EventOf<'message.received'>[];
}

/** One question to a model, with its tries. */
export interface ModelCall {
  readonly id: string;
  readonly purpose: CallPurpose;
  readonly role: string;
  /** The node that asks or is repaired; empty for the run's own calls. */
  readonly node: string;
  readonly ask: AskRequest | null;
  /** Its answer was cut off by the limit that it asked for: it is asked again with all that a call may have. */
  isWidened: boolean;
  tries: number;
  /** Where in the chain of the role it is asked, and how often it was asked there. */
  link: number;
  triesHere: number;
  provider: string;
  status: 'due' | 'running' | 'refreshing' | 'answered' | 'failing' | 'refused';
  dueAt: number;
  model: string;
  reserved: Reservation;
  answer: ModelAnswer | null;
  failure: Failure | null;
  draw: number;
}

/** How the plan in force is being drawn. */
export interface Planning {
  rounds: { readonly answer: string; readonly problems: readonly PlanProblem[] }[];
  replan: EventOf<'replan.started'> | null;
  /** Text of a plan that was supplied and not yet looked at. */
  supplied: string | null;
  /** The plan that reaches further than those before and of which a person was asked. */
  widening?: { readonly id: string; readonly hash: string; readonly status: 'open' | 'approved' | 'denied' };
  /** Why no plan will come. */
  rejected: readonly PlanProblem[] | null;
}

/** What the function checks of the verification under way said. */
export interface Verification {
  readonly functionResults: Map<number, CheckResult>;
  calling: string | null;
}

/** An output that the critic refused. */
export interface RejectedOutput {
  readonly node: string;
  readonly digest: string;
  readonly value: Json;
  readonly verdict: EventOf<'verdict.reached'>['verdict'];
}

/** What was spent before a run was forked off. */
export interface Inheritance {
  readonly origin: string;
  readonly settled: Readonly<Amounts>;
  readonly usedTokens: { readonly input: number; readonly output: number };
}

type Amendment = NonNullable<EventOf<'run.forked'>['overrides']['args']>[number];

/** The state of a run: a fold over its events, owned and updated in place by it. Plain data, no functions. */
export interface RunState {
  lastSeq: number;
  /** Time of the last event, in epoch milliseconds. */
  now: number;
  runId: string;
  task: Task;
  goal: string;
  rules: number;
  workspace: string;
  tools: ReadonlyMap<string, ToolSpec>;
  withheld: ReadonlySet<string>;

  phase: Phase;
  ledger: Ledger;
  mode: BudgetMode;
  /** Tokens of all answers, and of failed calls as far as they are known. */
  readonly usedTokens: { input: number; output: number };
  /** Cost is a lower bound: a model without a price was called. */
  hasUnknownCost: boolean;
  overrunOwed: Omit<EventOf<'budget.overrun'>, 'seq' | 'at'> | null;
  /** Why no new call is made; null while calls may be made. */
  stop: { readonly by: 'budget' | 'policy'; readonly reason: string } | null;
  /** Whether somebody answers questions while the process lives, and which; see `run.started`. */
  attended: boolean | 'consent' | 'write';
  isCancelling: boolean;
  isInterrupted: boolean;

  /** Open model calls by id, in the order in which they were made, and by the key of the running try. */
  calls: Map<string, ModelCall>;
  runningCalls: Map<string, ModelCall>;
  /** Providers without quota and until when they are left alone; how often each one's key was refreshed. */
  cooling: Map<string, number>;
  refreshes: Map<string, number>;
  readonly refreshable: ReadonlySet<string>;
  /** Plans asked for so far, for the keys of their calls. */
  planCalls: number;
  /** Calls that wait to be made or that failed and wait for a decision. */
  openCalls: ModelCall[];

  memory: RecallState;
  /** This process has hooks, and its log says so, and about what they are asked. */
  hooks: EventOf<'run.started'>['hooks'];
  /** Undefined where arguments are judged as in logs of before. */
  targets: EventOf<'run.started'>['targets'];

  /** The agents of the run, by key. */
  readonly crew: AgentCrew;
  /** What is kept for the write-up of each agent at work, by its key. */
  readonly promises: Map<string, Reservation>;
  /** Nodes whose work an agent does just now, by id. */
  readonly agentNodes: Map<string, NodeState>;
  /** Null where the run is no session. */
  session: Session | null;

  planning: Planning;
  /** A supplied plan is run as it is and never replaced. */
  isPlanSupplied: boolean;
  /** The run ends when its plan is accepted. */
  isPlanOnly: boolean;
  replans: number;
  plan: Plan | null;
  planHash: string;
  planVersion: number;
  planSeq: number;
  /** What the accepted plans reach; kept where policy guards it. */
  readonly reach: PlanReach;

  nodes: Map<string, NodeState>;
  /** Attempts made by ids of plans before, so that keys stay unique. */
  attempts: Map<string, number>;
  order: NodeState[];
  ready: ReadyQueue;
  nextLevel: NodeState[];
  level: number;
  barrierSeq: number;
  /** Nodes whose call is under way, by id. */
  running: Map<string, NodeState>;
  failing: NodeState[];
  retrying: NodeState[];
  repairing: NodeState[];
  /** Nodes of which hooks are asked, or are to be. */
  hooking: NodeState[];
  waiting: number;
  /** Questions to a person that are open, by node. */
  questions: Map<string, EventOf<'approval.requested'>>;
  /** Nodes of which a person must say what became of their call. */
  doubtful: NodeState[];
  /** Questions that were answered before and are answered again from the record. */
  reusable: { readonly key: string; readonly node: string }[];
  /** Answers that tools called by agents have had, by key. */
  agentAnswers: Map<string, RecordedAnswer>;
  joinable: NodeState[];
  /** Nodes that can no longer run, with the dependency that keeps them from it. */
  blocked: { readonly node: NodeState; readonly dependency: string }[];
  failures: NodeState[];
  /** Those of the plans before. */
  readonly pastFailures: PlannedFailure[];
  /** Nodes that were under way when the run was cancelled. */
  cancelled: NodeState[];
  /** Results of cacheable calls of this run: node by tool and hash of the arguments. */
  cached: Map<string, NodeState>;
  /** Cursor over `order` while what is left is skipped. */
  skipCursor: number;

  /** What another run, from whose beginning this one goes on, had spent by then; null where there is none. */
  inherited: Inheritance | null;
  /** Amendments that came with the fork and are not logged yet. */
  amendmentsOwed: Amendment[];

  verification: Verification | null;
  verifications: number;
  revisions: number;
  /** The last output that the critic refused, kept for the case that nothing better comes. */
  rejected: RejectedOutput | null;
  verdict: EventOf<'verdict.reached'>['verdict'] | null;
  finished: EventOf<'run.finished'> | null;
}

/** The state after the first event of a run. */
export function createState(started: EventOf<'run.started'>): RunState {
  const task = started.task as Task;
  const supplied = started.plan ?? (task.mode === 'agent' ? singleAgentPlan(started.goal) : null);
  return {
    lastSeq: started.seq,
    now: started.at,
    runId: started.runId,
    task,
    goal: started.goal,
    rules: started.rules,
    workspace: started.workspace,
    tools: new Map(),
    withheld: new Set(),
    phase: started.session === true ? 'session' : 'planning',
    ledger: createLedger(task.budget),
    mode: 'full',
    usedTokens: { input: 0, output: 0 },
    hasUnknownCost: false,
    overrunOwed: null,
    stop: null,
    attended: started.attended ?? false,
    isCancelling: false,
    isInterrupted: false,
    calls: new Map(),
    runningCalls: new Map(),
    cooling: new Map(),
    refreshes: new Map(),
    refreshable: refreshableProviders(task),
    planCalls: 0,
    openCalls: [],
    memory: createRecallState(started.memory === true),
    hooks: started.hooks,
    targets: started.targets,
    crew: new Map(),
    promises: new Map(),
    agentNodes: new Map(),
    session: started.session === true ? { isOpen: true, exchanges: 0, current: null, received: [] } : null,
    planning: { rounds: [], replan: null, supplied, rejected: null },
    isPlanSupplied: supplied !== null,
    isPlanOnly: started.planOnly === true,
    replans: 0,
    plan: null,
    planHash: '',
    planVersion: 0,
    planSeq: -1,
    reach: createReach(),
    nodes: new Map(),
    attempts: new Map(),
    order: [],
    ready: new ReadyQueue(),
    nextLevel: [],
    level: -1,
    barrierSeq: -1,
    running: new Map(),
    failing: [],
    retrying: [],
    repairing: [],
    hooking: [],
    waiting: 0,
    questions: new Map(),
    doubtful: [],
    reusable: [],
    agentAnswers: new Map(),
    joinable: [],
    blocked: [],
    failures: [],
    pastFailures: [],
    cancelled: [],
    cached: new Map(),
    skipCursor: 0,
    inherited: null,
    amendmentsOwed: [],
    verification: null,
    verifications: 0,
    revisions: 0,
    rejected: null,
    verdict: null,
    finished: null,
  };
}

/** True once the run has ended, or ended early and waits to be resumed. */
export function isOver(state: RunState): boolean {
  return state.finished !== null || state.isInterrupted;
}

/** True while a function check is under way. */
export function isChecking(state: RunState): boolean {
  return state.verification !== null && state.verification.calling !== null;
}

/** Ids of the providers whose key a command can fetch anew. */
function refreshableProviders(task: Task): ReadonlySet<string> {
  return new Set(
    listProviders(task).flatMap(({ id, credentialCommand }) => (credentialCommand === undefined ? [] : [id])),
  );
}
