import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { readAnswerText } from '../contracts/asked-answer.ts';
import type { RunStore } from '../contracts/ports.ts';
import type { JsonSchema } from '../contracts/schema.ts';
import type { ToolEffect } from '../contracts/tool.ts';
import { systemClock } from '../engine/system-clock.ts';
import type { EventOf, FlightEvent } from '../flight/events.ts';
import { OrchestratorError } from '../kernel/errors.ts';
import { isJsonObject, type Json, toPlainJson } from '../kernel/json.ts';
import { effectAsked, expiresAt } from '../run/decide-approval.ts';
import type { RunState } from '../run/state.ts';
import { type Answer, answerIssues, answerSchema, fitsQuestion } from './answer.ts';
import { askedFor } from './ask-people.ts';
import { logPosted, openFree } from './log-posted.ts';
import { foldRecorded } from './resume-preview.ts';

/** A question of a run to a person that is open. Times are in epoch milliseconds. */
export interface OpenQuestion {
  readonly runId: string;
  readonly node: string;
  readonly question: EventOf<'approval.requested'>['question'];
  readonly tool: string;
  readonly effect: ToolEffect;
  readonly args: Json;
  /** Arguments that hold what came from the open world, and by way of which nodes. */
  readonly taint?: EventOf<'approval.requested'>['taint'];
  /** Why commands among the arguments are not known to be harmless. */
  readonly dangers?: EventOf<'approval.requested'>['dangers'];
  /** JSON Schema of the answer that is asked for. */
  readonly answer?: JsonSchema;
  readonly askedAtMs: number;
  /** When it counts as denied; null where it waits for ever. */
  readonly expiresAtMs: number | null;
}

/** What a person answers to a question, in words of the command. */
export interface GivenAnswer {
  readonly decision: 'approved' | 'denied' | 'done';
  readonly by: string;
  readonly reason?: string;
  /** Arguments that take the place of those asked about. */
  readonly args?: Json;
  /** With `done`: the result of the call. */
  readonly value?: Json;
  /** With `done`, in the place of `value`: the answer as it was written, JSON or not. */
  readonly text?: string;
}

/** What became of an answer. */
export interface AnswerReport {
  readonly runId: string;
  readonly node: string;
  /** `logged`: it holds. `posted`: a process holds the run and has not taken it yet. */
  readonly state: 'logged' | 'posted';
  /** A process holds the run and goes on with it. */
  readonly isRunning: boolean;
}

/** How long the process that holds a run is given to take an answer. */
const PATIENCE_MS = 5000;
const LOOK_MS = 100;

/**
 * Every open question of every run, the newest run first; runs that cannot be read are passed over. The log of a run is
 * read only where it has changed since.
 */
export async function listQuestions(store: RunStore<FlightEvent>): Promise<OpenQuestion[]> {
  const open: OpenQuestion[] = [];
  for (const runId of await store.list()) {
    const asked = await store
      .derive(runId, 'open-questions', (events) => questionsIn(events, runId))
      .catch(() => []);
    open.push(...(asked as unknown as OpenQuestion[]));
  }
  return open;
}

/** The open questions of a log; of a fork that was cut off before it began they are the other run's. */
function questionsIn(events: readonly FlightEvent[], runId: string): Json {
  if (!events.some(({ type }) => type === 'approval.requested')) return [];
  const state = foldRecorded(events);
  return state.runId === runId ? (questionsOf(state) as unknown as Json) : [];
}

function questionsOf(state: RunState): OpenQuestion[] {
  return [...state.questions.values()].map((question) => {
    const expires = expiresAt(state, question);
    return {
      runId: state.runId,
      node: question.node,
      question: question.question,
      tool: question.tool,
      effect: effectAsked(state, question.node, question.tool) ?? 'irreversible',
      args: question.args,
      ...(question.question === 'answer' ? { answer: askedFor(state, question) } : {}),
      ...(question.taint === undefined ? {} : { taint: question.taint }),
      ...(question.dangers === undefined ? {} : { dangers: question.dangers }),
      askedAtMs: question.at,
      expiresAtMs: expires === Infinity ? null : expires,
    };
  });
}

/**
 * Answers the open question of a node. Where nobody holds the run the answer is logged here; where a process does, it
 * is posted to it, and what that process logged is waited for. The first answer wins: `already_decided` says whose it
 * was. Throws `no_question` where the node asks nothing, and `usage` where arguments or result break the tool's schema.
 */
export async function answerQuestion(
  store: RunStore<FlightEvent>,
  run: string,
  node: string,
  given: GivenAnswer,
): Promise<AnswerReport> {
  const runId = await store.resolve(run);
  const answer = checkAnswer(await store.read(runId), node, given);
  await store.post(runId, answer as unknown as Json);
  for (const until = performance.now() + PATIENCE_MS; ;) {
    const opened = await openFree(store, runId);
    if (opened !== null) await logPosted(opened).finally(() => opened.log.close());
    const decided = decisionOn(await store.read(runId), answer);
    // Who holds the run may be another who answers: only the owner of a run that goes on logs an answer as it goes.
    if (decided !== null) return { runId, node, state: 'logged', isRunning: decided.atRest !== true };
    if (opened !== null || performance.now() > until)
      return { runId, node, state: 'posted', isRunning: opened === null };
    await delay(LOOK_MS);
  }
}

function checkAnswer(events: readonly FlightEvent[], node: string, given: GivenAnswer): Answer {
  const state = foldRecorded(events);
  const question = state.questions.get(node);
  if (question === undefined) throw notAsked(events, state, node);
  if (expiresAt(state, question) <= systemClock.now()) {
    throw new OrchestratorError(
      'already_decided',
      `the time to answer for ${node} of run ${state.runId} is over`,
      {
        hint: `It counts as denied: \`orchestrate resume ${state.runId}\` goes on with that.`,
      },
    );
  }
  const { decision, by, reason, args } = given;
  const value =
    given.text === undefined ? given.value : readAnswerText(askedFor(state, question), given.text);
  if (args !== undefined && !isJsonObject(args))
    throw new OrchestratorError('usage', '--args: expected a JSON object', {
      hint: `Such as --args '{"to":"me@example.org"}'.`,
    });
  const answer = answerSchema.parse({
    ...{ id: randomUUID(), node, question: question.seq, decision, by },
    ...(reason === undefined ? {} : { reason }),
    ...(args === undefined ? {} : { args: args }),
    ...(value === undefined ? {} : { value: toPlainJson(value) }),
  });
  if (!fitsQuestion(question, answer)) {
    throw question.question === 'answer'
      ? new OrchestratorError('usage', `${node} asks for an answer`, {
          hint: 'Give it with --value, or deny it.',
        })
      : new OrchestratorError('usage', 'a plan is approved as it stands, or denied', {
          hint: 'Leave out --args and --done.',
        });
  }
  const problems = answerIssues(state, answer).flatMap(({ part, issues }) =>
    issues.map(({ pointer, message }) => `--${part}${pointer === '' ? '' : ` ${pointer}`}: ${message}`),
  );
  if (problems.length > 0) {
    throw new OrchestratorError('usage', problems.join('\n'), {
      hint:
        question.question === 'answer'
          ? '`orchestrate approvals --json` shows what is asked for.'
          : `\`orchestrate tools\` shows what ${question.tool} takes.`,
    });
  }
  return answer;
}

/** Why a node has no open question: it was answered, and by whom, or it never had one. */
function notAsked(events: readonly FlightEvent[], state: RunState, node: string): OrchestratorError {
  const decided = events.findLast(
    (event): event is EventOf<'approval.decided'> => event.type === 'approval.decided' && event.node === node,
  );
  if (decided !== undefined) return decidedBefore(state.runId, decided);
  const known = state.nodes.has(node);
  return new OrchestratorError(
    'no_question',
    known ? `node ${node} of run ${state.runId} waits for nobody` : `run ${state.runId} has no node ${node}`,
    { details: { waiting: [...state.questions.keys()] } },
  );
}

function decidedBefore(
  runId: string,
  { node, decision, by, reason, at }: EventOf<'approval.decided'>,
): OrchestratorError {
  const why = reason === undefined ? '' : ` (${reason})`;
  return new OrchestratorError(
    'already_decided',
    `${node} of run ${runId}: ${by} said ${decision} on ${new Date(at).toISOString()}${why}`,
    { details: { node, decision, by, at } },
  );
}

/** The decision that the answer became; null where there is none yet. Throws `already_decided` where another came first. */
function decisionOn(events: readonly FlightEvent[], answer: Answer): EventOf<'approval.decided'> | null {
  const decided = events.find(
    (event): event is EventOf<'approval.decided'> =>
      event.type === 'approval.decided' && event.node === answer.node && event.seq > answer.question,
  );
  if (decided === undefined || decided.answer === answer.id) return decided ?? null;
  throw decidedBefore(foldRecorded(events).runId, decided);
}
