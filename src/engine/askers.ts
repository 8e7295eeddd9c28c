import {
  type AnswerFormat,
  type AskRequest,
  askRequestSchema,
  type ModelAnswer,
} from '../contracts/model.ts';
import type { EventOf } from '../flight/events.ts';
import { OrchestratorError } from '../kernel/errors.ts';
import { toPlainJson } from '../kernel/json.ts';
import { interpretAsk } from '../run/interpret-ask.ts';
import { toError } from './running-call.ts';

interface Asker {
  readonly format: AnswerFormat | undefined;
  readonly resolve: (text: string) => void;
  readonly reject: (error: OrchestratorError) => void;
  readonly close: () => void;
}

/** The questions of tools that wait for their answers, by key. */
export class Askers {
  readonly #waiting = new Map<string, Asker>();

  /** The answer to a question, once an event brings it. */
  wait(id: string, format: AnswerFormat | undefined, close: () => void): Promise<string> {
    const answer = new Promise<string>((resolve, reject) => {
      this.#waiting.set(id, { format, resolve, reject, close });
    });
    // A tool may ask twice and await one after the other: the second may fail while nobody listens yet.
    answer.catch(() => undefined);
    return answer;
  }

  /** Forgets a question whose asker has ended. */
  drop(id: string): void {
    const asker = this.#waiting.get(id);
    this.#waiting.delete(id);
    // Its promise may have been handed on, so it must end; nobody may listen.
    asker?.reject(new OrchestratorError('aborted', 'the call that asked has ended'));
  }

  /** Answers the question that an event ends; an unusable answer waits for what is decided about it. */
  follow(event: EventOf<'model.answered'> | EventOf<'ask.failed'> | EventOf<'model.refused'>): void {
    const id = event.key.replace(/#\d+$/, '');
    const asker = this.#waiting.get(id);
    if (asker === undefined) return;
    switch (event.type) {
      case 'model.answered':
        this.reuse(id, event.answer);
        return;
      case 'ask.failed':
        this.#end(id, asker);
        asker.reject(toError(event.failure));
        return;
      case 'model.refused':
        this.#end(id, asker);
        asker.reject(
          new OrchestratorError('budget_refused', `${event.dimension}: the model call does not fit`),
        );
    }
  }

  /** Answers a question; where the answer is not usable it goes on waiting. */
  reuse(id: string, answer: ModelAnswer | undefined): void {
    const asker = this.#waiting.get(id);
    if (asker === undefined || answer === undefined) return;
    const outcome = interpretAsk(answer, asker.format);
    if (!outcome.ok) return;
    this.#end(id, asker);
    asker.resolve(outcome.text);
  }

  #end(id: string, asker: Asker): void {
    this.#waiting.delete(id);
    asker.close();
  }
}

/** A question as plain data, or what is wrong with it. */
export function parseAsk(role: string, request: AskRequest): AskRequest | OrchestratorError {
  const parsed = askRequestSchema.safeParse(toPlainJson(request));
  if (parsed.success) return parsed.data;
  const { path, message } = parsed.error.issues[0] ?? { path: [], message: '' };
  const where = path.length === 0 ? '' : ` at ${path.join('.')}`;
  const text = `ctx.ask(${JSON.stringify(role)}): the request is invalid${where}: ${message}`;
  return new OrchestratorError('tool_failed', text);
}
