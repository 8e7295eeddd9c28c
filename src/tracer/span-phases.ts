import type { Failure } from '../contracts/failure.ts';
import { ATTRIBUTE, OPERATION, SEMCONV_VALUE } from './semconv.ts';
import type { SpanDraft, SpanRecorder } from './span-recorder.ts';

/** The spans around what a run does before its tools and after them: drawing a plan, judging what came of it. */
export class SpanPhases {
  readonly #recorder: SpanRecorder;
  readonly #agent: string;
  #runId: string;
  #planning: SpanDraft | null = null;
  #criticism: SpanDraft | null = null;
  #planningCount = 0;
  #criticismCount = 0;

  constructor(recorder: SpanRecorder, agent: string, runId: string) {
    this.#recorder = recorder;
    this.#agent = agent;
    this.#runId = runId;
  }

  /** The span of the plan that is being drawn; null while none is. */
  get plan(): SpanDraft | null {
    return this.#planning;
  }

  /** The span of the plan that is being drawn, begun now where none is. */
  planning(parent: SpanDraft, atMs: number): SpanDraft {
    this.#planning ??= this.#recorder.start({
      ...{ parent, kind: 'internal', atMs },
      key: `phase/plan/${++this.#planningCount}`,
      name: `${OPERATION.plan} ${this.#agent}`,
      attributes: {
        [ATTRIBUTE.operationName]: OPERATION.plan,
        [ATTRIBUTE.agentName]: this.#agent,
      },
    });
    return this.#planning;
  }

  /** The span of the round of the critic that is under way, begun now where none is. */
  criticism(parent: SpanDraft, atMs: number): SpanDraft {
    this.#criticism ??= this.#recorder.start({
      ...{ parent, kind: 'internal', atMs },
      key: `phase/critic/${++this.#criticismCount}`,
      name: `${OPERATION.invokeAgent} ${SEMCONV_VALUE.criticAgent}`,
      attributes: {
        [ATTRIBUTE.operationName]: OPERATION.invokeAgent,
        [ATTRIBUTE.agentName]: SEMCONV_VALUE.criticAgent,
        [ATTRIBUTE.conversationId]: this.#runId,
      },
    });
    return this.#criticism;
  }

  /** Ends both, at their failure where there is one. */
  close(atMs: number, failure?: Failure): void {
    for (const phase of [this.#planning, this.#criticism]) {
      if (phase !== null) this.#recorder.end(phase, atMs, failure);
    }
    this.#planning = null;
    this.#criticism = null;
  }

  /** Lets go of both, which the recorder has lost; what is begun next belongs to that run. */
  lose(runId: string): void {
    this.#planning = null;
    this.#criticism = null;
    this.#runId = runId;
  }
}
