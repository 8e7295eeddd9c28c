import type { EventOf } from '../flight/events.ts';
import { ATTRIBUTE, OPERATION } from './semconv.ts';
import { textOf } from './span-content.ts';
import type { SpanDraft, SpanRecorder } from './span-recorder.ts';
import type { AttributeValue } from './span.ts';

/** The spans of memory: a `search_memory` for what is recalled, an `upsert_memory` for what agents keep. */
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

  /** Begins the span of what an agent wants of memory; its briefing is none of it. */
  ask({ agent, what }: EventOf<'agent.requested'>, parent: SpanDraft, atMs: number): void {
    if (what === 'briefing') return;
    const name = what === 'recall' ? OPERATION.searchMemory : OPERATION.upsertMemory;
    const attributes = { [ATTRIBUTE.operationName]: name, [ATTRIBUTE.effectKey]: agent };
    const key = `memory/${agent}/${what}`;
    this.#open.set(key, this.#recorder.start({ key, parent, name, kind: 'internal', atMs, attributes }));
  }

  /** Ends it with what came of it; where nothing was recalled it leaves no span, as that is said of every round. */
  answer(event: EventOf<'agent.recalled'> | EventOf<'figures.kept'>, atMs: number): void {
    const isRecalled = event.type === 'agent.recalled';
    const key = `memory/${event.agent}/${isRecalled ? 'recall' : 'figures'}`;
    const draft = this.#open.get(key);
    if (draft === undefined) return;
    this.#open.delete(key);
    if (!isRecalled) {
      this.#recorder.end(draft, atMs, event.failure);
      draft.attributes[ATTRIBUTE.memoryRecordCount] = event.count;
    } else if (event.text === '') this.#recorder.withdraw(draft);
    else {
      this.#recorder.end(draft, atMs);
      if (this.#captureContent) draft.attributes[ATTRIBUTE.memoryContext] = textOf(event.text);
    }
  }

  /** Lets go of the searches under way, which the recorder has lost. */
  lose(): void {
    this.#open.clear();
  }
}

const TIMED_OUT = { code: 'timeout', class: 'TRANSIENT', message: 'memory took longer than it may' } as const;
