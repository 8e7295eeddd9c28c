import type { EventOf } from '../flight/events.ts';
import { ATTRIBUTE, OPERATION } from './semconv.ts';
import { textOf } from './span-content.ts';
import type { SpanDraft, SpanRecorder } from './span-recorder.ts';
import type { AttributeValue } from './span.ts';

/** The spans of what is recalled before model calls: one `search_memory` for each. */
export class SpanMemory {
  readonly #recorder: SpanRecorder;
  readonly #captureContent: boolean;
  readonly #open = new Map<string, SpanDraft>();

  constructor(recorder: SpanRecorder, captureContent: boolean) {
    this.#recorder = recorder;
    this.#captureContent = captureContent;
  }

  /** Begins the span of a recall, below what the model call is made for. */
  start(event: EventOf<'memory.requested'>, parent: SpanDraft, atMs: number): void {
    const { key, call, node } = event;
    const attributes: Record<string, AttributeValue> = {
      [ATTRIBUTE.operationName]: OPERATION.searchMemory,
      [ATTRIBUTE.effectKey]: key,
      [ATTRIBUTE.memoryCall]: call,
    };
    if (node !== undefined) attributes[ATTRIBUTE.nodeId] = node;
    const name = OPERATION.searchMemory;
    this.#open.set(key, this.#recorder.start({ key, parent, name, kind: 'internal', atMs, attributes }));
  }

  /** Ends the span of a recall with what came of it; one that took too long is an error of the search, not of the run. */
  end(event: EventOf<'memory.recalled'>, atMs: number): void {
    const draft = this.#open.get(event.key);
    if (draft === undefined) return;
    this.#open.delete(event.key);
    this.#recorder.end(draft, atMs, event.timedOut === true ? TIMED_OUT : undefined);
    draft.attributes[ATTRIBUTE.memoryRecordCount] = event.included.length;
    if (event.similarity !== undefined) draft.attributes[ATTRIBUTE.memorySimilarity] = event.similarity;
    if (event.model !== undefined) draft.attributes[ATTRIBUTE.memoryModel] = event.model;
    if (this.#captureContent) draft.attributes[ATTRIBUTE.memoryContext] = textOf(event.text);
  }

  /** Lets go of the searches under way, which the recorder has lost. */
  lose(): void {
    this.#open.clear();
  }
}

const TIMED_OUT = { code: 'timeout', class: 'TRANSIENT', message: 'memory took longer than it may' } as const;
