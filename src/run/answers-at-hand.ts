import type { RecordedAnswer } from './node-state.ts';
import type { RunState } from './state.ts';

/** Keeps an answer that a tool has had, for the case that it has to run again; `asker` is its node, or its call by an agent. */
export function keepAnswer(state: RunState, asker: string, key: string, answer: RecordedAnswer): void {
  const node = state.nodes.get(asker);
  if (node === undefined) {
    state.agentAnswers.set(key, answer);
    return;
  }
  node.answers ??= new Map();
  node.answers.set(key, answer);
}

/** What a question of that key was answered in an attempt that a crash cut off. */
export function answerAtHand(state: RunState, asker: string, key: string): RecordedAnswer | undefined {
  const node = state.nodes.get(asker);
  return node === undefined ? state.agentAnswers.get(key) : node.answers?.get(key);
}

/** Lets go of the answers that a call of an agent has had. */
export function dropAnswers(state: RunState, call: string): void {
  for (const key of state.agentAnswers.keys()) if (key.startsWith(`${call}/`)) state.agentAnswers.delete(key);
}
