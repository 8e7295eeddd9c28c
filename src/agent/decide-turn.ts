import type { AgentEvent } from '../contracts/agent-events.ts';
import { answerSchema, askedSchemaFault } from '../contracts/asked-answer.ts';
import type { Failure } from '../contracts/failure.ts';
import { type CallMarks, isMarked } from '../contracts/policy/call-marks.ts';
import type { ToolSpec } from '../contracts/tool.ts';
import { hashJson } from '../kernel/hash.ts';
import type { AgentDecision, AgentEnvironment } from './agent-decision.ts';
import type { AgentCall, AgentState } from './agent-state.ts';
import { isChildTool, isLocalTool } from './agent-tools.ts';
import { findRepetition } from './call-history.ts';
import { planChild } from './delegation.ts';
import { observedText, planCalls } from './evolve-turn.ts';
import { callProblem, needsConsent } from './grant.ts';
import { applyLocal } from './local-tools.ts';
import { UNKNOWN_OUTCOME } from './repair-messages.ts';

/** The turn as it was read, before anything of it is run. */
export function decideReading(agent: AgentState): AgentDecision | null {
  const { key, round, reading } = agent;
  if (reading === null) return null;
  const thoughts = reading.kind === 'calls' ? reading.thoughts : {};
  return log({
    type: 'turn.read',
    agent: key,
    round,
    kind: reading.kind,
    calls: planCalls(agent).map((call) => ({ key: call.key, tool: call.tool, segment: call.segment })),
    ...(Object.keys(thoughts).length === 0 ? {} : { thoughts: { ...thoughts } }),
    ...(reading.kind === 'unreadable' ? { problem: reading.problem } : {}),
  });
}

function log(event: AgentEvent): AgentDecision {
  return { kind: 'log', event };
}

/** The next step of the calls of a turn; null where those under way have to end first. */
export function decideTurn(agent: AgentState, environment: AgentEnvironment): AgentDecision | null {
  const open = agent.calls.filter(({ status }) => status !== 'ended');
  const segment = Math.min(...open.map((call) => call.segment));
  for (const call of open) {
    if (call.segment !== segment) break;
    const owed = decideCall(agent, call, environment);
    if (owed !== null) return owed;
  }
  return null;
}

function decideCall(agent: AgentState, call: AgentCall, environment: AgentEnvironment): AgentDecision | null {
  switch (call.status) {
    case 'running':
      return isChildTool(call.tool) && !call.hasChild ? startChild(agent, call, environment) : null;
    case 'failing':
      return scheduleRetry(call, environment);
    case 'due':
      return call.dueAt > environment.now ? null : decideDue(agent, call, environment);
    case 'hooking':
      return askHooks(agent, call);
    case 'asking':
    case 'ended':
      return null;
  }
}

/** Hooks are asked about a call that no code outside makes, which is where they are asked about all others. */
function askHooks(agent: AgentState, call: AgentCall): AgentDecision | null {
  const tool = agent.tools.get(call.tool);
  if (tool === undefined) return null;
  const { key, args, outcome } = call;
  return {
    kind: 'log',
    event: { type: 'agent.requested', agent: agent.key, what: 'hooks', key },
    effect: { kind: 'askHooks', agent: agent.key, key, tool, args, outcome },
  };
}

function scheduleRetry(call: AgentCall, environment: AgentEnvironment): AgentDecision | null {
  if (call.failure === null) return null;
  const delayMs = environment.backoffMs(call.failure, call.attempt, call.draw);
  return { kind: 'log', event: { type: 'retry.scheduled', key: call.key, delayMs } };
}

function decideDue(agent: AgentState, call: AgentCall, environment: AgentEnvironment): AgentDecision | null {
  if (call.isDoubtful) return askPerson(agent, call, 'in_doubt');
  if (agent.stopOwed !== null)
    return refuse(agent, call, notMade(`the agent stops: ${agent.stopOwed.detail}`));
  const problem = callProblem(agent.tools, call);
  if (problem !== null) return refuse(agent, call, problem);
  const repetition = call.attempt === 0 ? findRepetition(agent.history, call.signature) : null;
  if (repetition !== null) return refuseRepetition(agent, call, repetition.first.key, repetition.kind);
  const spec = agent.tools.get(call.tool);
  if (spec === undefined) return null;
  const isOwn = isLocalTool(call.tool) || isChildTool(call.tool) || spec.interactive === true;
  if (isOwn && environment.hasHooks && !call.isHooked) return askHooks(agent, call);
  if (isLocalTool(call.tool)) return answerLocally(agent, call);
  if (spec.interactive === true && !call.isApproved) return decideQuestion(agent, call, spec);
  const judged = isChildTool(call.tool) ? undefined : environment.judge?.(agent, spec, call.args);
  if (judged?.kind === 'refused') return refuse(agent, call, notMade(judged.reason));
  const marks = judged?.marks ?? {};
  const isStanding = agent.authorised > 0 && spec.effect !== 'irreversible' && !isMarked(marks);
  const asks = (needsConsent(agent.grant.approve, spec) || isMarked(marks)) && !call.isApproved;
  if (asks && !isStanding) return isAsking(agent) ? null : askPerson(agent, call, 'consent', marks);
  return isChildTool(call.tool)
    ? startChildCall(agent, call, environment, asks)
    : startCall(agent, call, spec, environment, asks);
}

/** The question of an interactive tool: its answer, given by a person, is the result of the call. */
function decideQuestion(agent: AgentState, call: AgentCall, { output }: ToolSpec): AgentDecision | null {
  const fault = askedSchemaFault(answerSchema(call.args, output));
  if (fault === null) return isAsking(agent) ? null : askPerson(agent, call, 'answer');
  const message = `no answer can be asked for by this schema: ${fault}`;
  return refuse(agent, call, { code: 'tool_misuse', class: 'TOOL_MISUSE', message });
}

/** One question of an agent at a time. */
function isAsking(agent: AgentState): boolean {
  return agent.calls.some(({ status }) => status === 'asking');
}

function askPerson(
  agent: AgentState,
  call: AgentCall,
  question: 'consent' | 'in_doubt' | 'answer',
  marks: CallMarks = {},
): AgentDecision {
  return {
    kind: 'question',
    question: {
      agent: agent.key,
      call: call.key,
      question,
      tool: call.tool,
      args: call.args,
      argsHash: call.signature,
      ...(isMarked(marks) ? { marks } : {}),
    },
  };
}

function refuse(agent: AgentState, call: AgentCall, failure: Failure, repeats?: string): AgentDecision {
  return log({
    type: 'call.refused',
    agent: agent.key,
    key: call.key,
    failure,
    ...(repeats === undefined ? {} : { repeats }),
  });
}

function notMade(reason: string): Failure {
  return { code: 'policy_denied', class: 'POLICY', message: `not made: ${reason}` };
}

function refuseRepetition(
  agent: AgentState,
  call: AgentCall,
  first: string,
  kind: 'repeated_call' | 'repeated_cycle',
): AgentDecision {
  const result = agent.results.get(call.signature) ?? '(no longer at hand)';
  return refuse(
    agent,
    call,
    {
      code: 'tool_misuse',
      class: 'TOOL_MISUSE',
      message: `not made: the same call had the same result twice before. That result is: ${result}`,
      details: { kind },
    },
    first,
  );
}

function answerLocally(agent: AgentState, call: AgentCall): AgentDecision {
  const applied = applyLocal(agent, call);
  if (!applied.ok) return refuse(agent, call, applied.failure);
  const event: AgentEvent = {
    type: 'call.answered',
    agent: agent.key,
    key: call.key,
    value: hashJson(applied.value),
  };
  if (applied.memory === undefined) return log(event);
  const change = { before: agent.memory, after: applied.memory };
  return { kind: 'log', event, effect: { kind: 'keepMemory', agent: agent.key, change } };
}

function startCall(
  agent: AgentState,
  call: AgentCall,
  spec: ToolSpec,
  environment: AgentEnvironment,
  standing: boolean,
): AgentDecision | null {
  if (environment.toolCall === 'refused') {
    const message = 'toolCalls: the next call does not fit the budget';
    return refuse(agent, call, { code: 'budget_refused', class: 'PERMANENT', message });
  }
  if (environment.toolCall === 'waits' || environment.freeSlots < 1) return null;
  const attempt = call.attempt + 1;
  const timeoutMs = environment.timeoutMs(spec);
  const { key, tool, args, signature } = call;
  return {
    kind: 'log',
    event: {
      type: 'call.started',
      agent: agent.key,
      key,
      tool,
      args: signature,
      attempt,
      timeoutMs,
      ...(standing ? { standing } : {}),
    },
    effect: {
      kind: 'callAgentTool',
      agent: agent.key,
      key,
      attempt,
      tool,
      args,
      timeoutMs,
      isAmended: call.isAmended,
      keepsLateResult: spec.effect !== 'read',
    },
  };
}

/** A call that hands work on is under way until the agent that it starts has ended; only so many work at once. */
function startChildCall(
  agent: AgentState,
  call: AgentCall,
  environment: AgentEnvironment,
  standing: boolean,
): AgentDecision | null {
  const plan = planChild(agent, call.tool, call.args);
  if (!plan.ok) return refuse(agent, call, plan.failure);
  const working = agent.calls.filter(({ status, tool }) => status === 'running' && isChildTool(tool)).length;
  if (working >= agent.settings.children) return null;
  if (environment.reserveWriteUp() === null) {
    const message = 'the budget does not hold what another agent needs to hand back what it finds';
    return refuse(agent, call, { code: 'budget_refused', class: 'PERMANENT', message });
  }
  return log({
    type: 'call.started',
    agent: agent.key,
    key: call.key,
    tool: call.tool,
    args: call.signature,
    attempt: 1,
    timeoutMs: 0,
    ...(standing ? { standing } : {}),
  });
}

function startChild(agent: AgentState, call: AgentCall, environment: AgentEnvironment): AgentDecision | null {
  const plan = planChild(agent, call.tool, call.args);
  if (!plan.ok) return null;
  return log({
    type: 'agent.started',
    agent: call.key,
    parent: agent.key,
    ...(plan.continues === undefined ? {} : { continues: plan.continues }),
    ...(plan.name === undefined ? {} : { name: plan.name }),
    task: plan.task,
    grant: plan.grant,
    settings: agent.settings,
    reserved: environment.reserveWriteUp() ?? {},
  });
}

/** The results of a turn, with which they enter the history. */
export function observe(agent: AgentState): AgentDecision {
  const results = agent.calls.map((call) => ({
    key: call.key,
    ok: call.outcome?.ok === true,
    chars: observedText(agent, call).length,
  }));
  return log({ type: 'round.observed', agent: agent.key, round: agent.round, results });
}

/** What an interrupted agent still owes: an outcome for each call of its turn, and those outcomes in the history. */
export function decideInterrupted(agent: AgentState): AgentDecision | 'waits' | null {
  if (agent.phase === 'observe') return observe(agent);
  if (agent.phase !== 'act') return null;
  const open = agent.calls.filter(({ status }) => status !== 'ended');
  const idle = open.find(({ status }) => status !== 'running');
  if (idle === undefined) return open.length > 0 ? 'waits' : null;
  const isBegun = idle.attempt > 0 || idle.outcome !== null;
  const message = isBegun ? UNKNOWN_OUTCOME : 'This call was not made.';
  return refuse(agent, idle, { code: 'aborted', class: 'PERMANENT', message });
}
