import type { JsonObject } from '../../kernel/json.ts';
import { reportedError, unfinishedAnswer } from '../http/api-error.ts';
import { objectAt, objectsAt, textAt } from '../http/json-fields.ts';

/** What an assembly reports on its way. */
export interface ResponseAssembly {
  readonly provider: string;
  readonly onText: (text: string) => void;
  /** The end marker has come. */
  readonly onEnd: () => void;
}

/**
 * The response that a stream of events ends in. Throws `model_unreachable` unless `response.completed`, `.incomplete`
 * or `.failed` has come, and the typed error for an `error` event.
 */
export async function assembleResponse(
  events: AsyncIterable<JsonObject>,
  { provider, onText, onEnd }: ResponseAssembly,
): Promise<JsonObject> {
  const items: JsonObject[] = [];
  let response: JsonObject | null = null;
  try {
    for await (const event of events) {
      switch (textAt(event, 'type')) {
        case 'response.output_text.delta':
          onText(textAt(event, 'delta'));
          break;
        case 'response.output_item.done':
          items.push(objectAt(event, 'item'));
          break;
        case 'response.completed':
        case 'response.incomplete':
        case 'response.failed':
          response = objectAt(event, 'response');
          onEnd();
          break;
        case 'error':
          throw reportedError({ provider, error: event });
      }
    }
  } catch (thrown) {
    // What happens to the connection after the end marker is no matter.
    if (response === null) throw thrown;
  }
  if (response === null) throw unfinishedAnswer(provider, 'response.completed');
  // Some servers leave the output out of the last event, since it was streamed already.
  return objectsAt(response, 'output').length > 0 ? response : { ...response, output: items };
}
