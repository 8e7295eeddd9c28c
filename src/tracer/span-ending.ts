import type { EventOf } from '../flight/events.ts';
import type { Json } from '../kernel/json.ts';
import { ATTRIBUTE } from './semconv.ts';
import { outputContent, textOf } from './span-content.ts';
import type { SpanDraft, SpanRecorder } from './span-recorder.ts';

const FAILED_STATUSES: ReadonlySet<EventOf<'run.finished'>['status']> = new Set([
  'failed',
  'rejected',
  'indeterminate',
  'budget',
]);

interface RootEnding {
  readonly ending: EventOf<'run.finished'> | EventOf<'run.interrupted'>;
  /** Result of the output node, where it is captured. */
  readonly answer: Json | undefined;
  readonly captureContent: boolean;
}

/** Ends the span of a run as the run ended; one that was interrupted goes on elsewhere and stays unfinished. */
export function endRoot(
  recorder: SpanRecorder,
  root: SpanDraft,
  { ending, answer, captureContent }: RootEnding,
): void {
  if (ending.type === 'run.interrupted') {
    root.attributes[ATTRIBUTE.runStatus] = 'interrupted';
    return;
  }
  const { status, reason, failure, partial } = ending;
  recorder.end(root, ending.at, failure);
  root.attributes[ATTRIBUTE.runStatus] = status;
  if (failure === undefined && FAILED_STATUSES.has(status)) {
    root.attributes[ATTRIBUTE.errorType] = status;
    root.status = { code: 'error', message: captureContent ? reason : status };
  }
  const output = partial ?? answer;
  if (captureContent && output !== undefined) {
    root.attributes[ATTRIBUTE.outputMessages] = outputContent(textOf(output), 'stop');
  }
}

/** Ends the span of a segment whose process is gone, with whatever is still open below it, at its last sign of life. */
export function leaveRoot(recorder: SpanRecorder, root: SpanDraft, lastSignMs: number): void {
  const isEnded = root.endMs !== null;
  recorder.loseOpen(lastSignMs, null);
  if (!isEnded) root.endMs ??= lastSignMs;
}
