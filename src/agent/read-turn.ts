import { answerFailure } from '../contracts/answer-failure.ts';
import type { ModelAnswer, ToolCall } from '../contracts/model.ts';
import { canonicalJson } from '../kernel/canonical-json.ts';
import type { Json } from '../kernel/json.ts';
import { readCommand, type Thoughts } from './read-command.ts';

/** What a model's turn comes to. A turn that cannot be read executes nothing. */
export type TurnReading =
  | { readonly kind: 'calls'; readonly calls: readonly ToolCall[]; readonly thoughts: Thoughts }
  | { readonly kind: 'answer'; readonly text: string }
  | {
      readonly kind: 'unreadable';
      readonly problem: string;
      /** One question to a model may mend it. */
      readonly isRepairable: boolean;
    };

/** How a turn is read. */
export interface TurnContext {
  readonly style: 'tools' | 'json';
  /** Ids of calls that the history holds already. */
  readonly usedIds: ReadonlySet<string>;
  /** Most calls of one turn. */
  readonly callsPerTurn: number;
  /** An id for the call at an index, where its own is taken or missing. */
  idFor(index: number): string;
}

/** The turn that a model's answer is: calls of tools, the answer to the task, or nothing that can be read. */
export function readTurn(answer: ModelAnswer, context: TurnContext): TurnReading {
  const failure = answerFailure(answer);
  if (failure !== null) return unreadable(failure.message);
  const calls = answer.toolCalls ?? [];
  if (calls.length > 0) return readCalls(calls, context);
  return readText(answer.text, context);
}

/** The turn that a text is, where no tool was called by the API. */
export function readText(text: string, context: TurnContext): TurnReading {
  const reading = readCommand(text, context.style === 'tools');
  switch (reading.kind) {
    case 'command': {
      const { name, args, thoughts } = reading;
      return { kind: 'calls', calls: [{ id: context.idFor(0), name, args }], thoughts };
    }
    case 'broken':
      return unreadable(reading.problem, true);
    case 'none':
      return context.style === 'tools'
        ? { kind: 'answer', text: text.trim() }
        : unreadable('the answer holds no JSON object with a command');
  }
}

function readCalls(calls: readonly ToolCall[], context: TurnContext): TurnReading {
  const distinct = dropCopies(calls);
  if (distinct.length > context.callsPerTurn) {
    return unreadable(`${distinct.length} tool calls in one turn; at most ${context.callsPerTurn} are taken`);
  }
  const used = new Set(context.usedIds);
  const named = distinct.map((call, index) => {
    const id = call.id === '' || used.has(call.id) ? context.idFor(index) : call.id;
    used.add(id);
    return { ...call, id };
  });
  return { kind: 'calls', calls: named, thoughts: {} };
}

/** A call that stands twice, id and all, is one; two calls that merely share an id are both made. */
function dropCopies(calls: readonly ToolCall[]): readonly ToolCall[] {
  const seen = new Set<string>();
  return calls.filter(({ id, name, args }) => {
    const text = canonicalJson([id, name, args] as Json);
    if (id === '' || !seen.has(text)) {
      seen.add(text);
      return true;
    }
    return false;
  });
}

function unreadable(problem: string, isRepairable = false): TurnReading {
  return { kind: 'unreadable', problem, isRepairable };
}
