import type { MemoryRecord, RecalledNote, ToolMemory } from '../contracts/memory.ts';
import type { EventOf, FlightEvent } from '../flight/events.ts';
import { isJsonObject } from '../kernel/json.ts';
import { withDeadline } from '../memory/embed-deadline.ts';
import { keyFigures } from '../memory/key-figures.ts';
import { maskSecrets } from '../memory/mask-secrets.ts';
import { presentFigures } from '../memory/present-hit.ts';
import { recall, type Similarity } from '../memory/recall.ts';
import { systemClock } from '../engine/system-clock.ts';
import type { OpenMemory } from './memory.ts';

/** How long a tool waits for the vector of what it looks for; without one it goes by its words. */
const VECTOR_MS = 5000;

/** The run whose memory it is. */
export interface ToolMemoryHost {
  readonly runId: () => string;
  /** Keeps a record at once; its vector follows. */
  readonly keep: (record: MemoryRecord) => Promise<void>;
  /** Told that the model is loaded. */
  readonly noteModel: () => void;
}

/** The memory of a run as its tools use it: within the scope of the task, as the run's own calls recall. */
export class RunToolMemory implements ToolMemory {
  readonly #memory: OpenMemory;
  readonly #similarity: Similarity;
  readonly #host: ToolMemoryHost;

  constructor(memory: OpenMemory, similarity: Similarity, host: ToolMemoryHost) {
    this.#memory = memory;
    this.#similarity = similarity;
    this.#host = host;
  }

  remember({ id, text: given, node }: Parameters<ToolMemory['remember']>[0]): Promise<void> {
    const provenance = { at: systemClock.now(), run: this.#host.runId(), node, tool: 'remember' };
    const text = maskSecrets(given);
    // Whatever becomes of the text when it is summed up.
    const figures = keyFigures(text);
    return this.#host.keep({
      ...{ tier: 'semantic', id, text, provenance },
      ...(figures.length === 0 ? {} : { figures }),
    });
  }

  async recall({
    text,
    tier,
    limit,
    warn,
  }: Parameters<ToolMemory['recall']>[0]): Promise<readonly RecalledNote[]> {
    const { store, scope } = this.#memory;
    // A store that cannot be read is a failure here, whereas a call of a model goes on without.
    await store.list({ scope, limit: 1 });
    const similarity = this.#similarity;
    const found = await recall(text, { store, scope, embedder: this.#embedder(), similarity, limit });
    for (const warning of found.warnings) warn(warning);
    if (found.model !== undefined) this.#host.noteModel();
    return [...found.semantic, ...found.episodic]
      .filter(({ record }) => tier === undefined || record.tier === tier)
      .sort((a, b) => b.score - a.score)
      .slice(0, limit)
      .map(({ record, score }) => ({
        text: record.text,
        ...(record.tier === 'semantic' ? presentFigures(record) : {}),
        tier: record.tier,
        score: Math.round(score * 1000) / 1000,
        from: record.provenance,
      }));
  }

  #embedder(): OpenMemory['embedder'] {
    const { embedder } = this.#memory;
    return embedder === null || this.#similarity === 'words' ? null : withDeadline(embedder, () => VECTOR_MS);
  }
}

/** What the tools of a recorded run recalled, given again by their nodes. Keeps nothing. */
export class RecordedToolMemory implements ToolMemory {
  readonly #recalled = new Map<string, EventOf<'node.done'>>();

  constructor(events: readonly FlightEvent[]) {
    for (const event of events) if (event.type === 'node.done') this.#recalled.set(event.node, event);
  }

  remember(): Promise<void> {
    return Promise.resolve();
  }

  recall({ node }: Parameters<ToolMemory['recall']>[0]): Promise<readonly RecalledNote[]> {
    const value = this.#recalled.get(node)?.value;
    const memories = isJsonObject(value) ? value['memories'] : undefined;
    return Promise.resolve(Array.isArray(memories) ? (memories as unknown as readonly RecalledNote[]) : []);
  }
}
