import { cutText } from '../kernel/cut-text.ts';
import { ERROR_CODES, type ErrorCode } from '../kernel/errors.ts';
import type { Failure } from './failure.ts';
import type { ModelAnswer } from './model.ts';

/**
 * Why an answer is no result, or null where its text is whole: `model_truncated` where it was cut by length,
 * `model_refused` at a refusal or content filter, `model_empty` where there is neither text nor a tool call.
 */
export function answerFailure(answer: ModelAnswer): Failure | null {
  switch (answer.stop) {
    case 'length':
      return modelFailure(
        'model_truncated',
        `the answer was cut off after ${answer.usage.outputTokens} output tokens`,
      );
    case 'refusal':
      return modelFailure('model_refused', 'the model refused to answer', answer.text);
    case 'content_filter':
      return modelFailure('model_refused', 'a content filter stopped the answer', answer.text);
    case 'stop':
    case 'tool_calls':
      if (answer.text.trim() !== '' || (answer.toolCalls?.length ?? 0) > 0) return null;
      return modelFailure('model_empty', 'the model answered nothing');
  }
}

/** A failure of a model with the class of its code; the details quote the start of what it said. */
export function modelFailure(code: ErrorCode, message: string, said = ''): Failure {
  const details = said.trim() === '' ? {} : { details: { said: cutText(said, 500) } };
  return { code, class: ERROR_CODES[code].retry, message, ...details };
}
