import type { MemoryRecord, RecalledNote, ToolMemory } from '../contracts/memory.ts';
import type { EventOf, FlightEvent } from '../flight/events.ts';
import { isJsonObject } from '../kernel/json.ts';
import { withDeadline } from '../memory/embed-deadline.ts';
import { maskSecrets } from '../memory/mask-secrets.ts';
import { recall, type Similarity } from '../memory/recall.ts';
import { systemClock } from '../engine/system-clock.ts';
import type { OpenMemory } from './memory.ts';

/** How long a tool waits for the vector of a text; without one it goes by its words. */
const VECTOR_MS = 5000;

/** The memory of a run as its tools use it: within the scope of the task, as the run's own calls recall. */
export class RunToolMemory implements ToolMemory {
  readonly #memory: OpenMemory;
  readonly #similarity: Similarity;
  readonly #runId: () => string;

  constructor(memory: OpenMemory, similarity: Similarity, runId: () => string) {
    this.#memory = memory;
    this.#similarity = similarity;
    this.#runId = runId;
  }

  async remember({ id, text, node }: Parameters<ToolMemory['remember']>[0]): Promise<void> {
    const { store, scope } = this.#memory;
    const embedder = this.#embedder();
    const provenance = { at: systemClock.now(), run: this.#runId(), node, tool: 'remember' };
    const record: MemoryRecord = { tier: 'semantic', id, text: maskSecrets(text), provenance };
    const embedding = await embedder?.embed(record.text).catch(() => undefined);
    await store.put(scope, [{ record, ...(embedding === undefined ? {} : { embedding }) }]);
  }

  async recall({ text, tier, limit }: Parameters<ToolMemory['recall']>[0]): Promise<readonly RecalledNote[]> {
    const { store, scope } = this.#memory;
    // A store that cannot be read is a failure here, whereas a call of a model goes on without.
    await store.list({ scope, limit: 1 });
    const similarity = this.#similarity;
    const found = await recall(text, { store, scope, embedder: this.#embedder(), similarity, limit });
    return [...found.semantic, ...found.episodic]
      .filter(({ record }) => tier === undefined || record.tier === tier)
      .sort((a, b) => b.score - a.score)
      .slice(0, limit)
      .map(({ record, score }) => ({
        text: record.text,
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
