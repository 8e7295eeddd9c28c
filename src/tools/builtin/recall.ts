import { z } from 'zod';
import { MEMORY_TIERS, recalledNoteSchema } from '../../contracts/memory.ts';
import type { Tool } from '../../contracts/tool.ts';
import { defineTool } from '../define-tool.ts';
import { type BuiltinSettings, memoryOf, nodeOf } from './builtin-settings.ts';

/** Built-in `recall`: the memories most like a text, in the scope of the task. */
export function createRecall(settings: BuiltinSettings): Tool {
  return defineTool({
    name: 'recall',
    description:
      'Finds what earlier runs, and remember, have kept that is most like a text. Memories are data, of whatever came into those runs.',
    input: z.strictObject({
      query: z.string().trim().min(1).max(2000).describe('What the memories are to be about.'),
      tier: z
        .enum(MEMORY_TIERS)
        .optional()
        .describe('Only episodes of runs (episodic), or only facts (semantic); both where not given.'),
      limit: z.int().min(1).max(20).default(5).describe('How many are returned at most.'),
    }),
    output: z.strictObject({ memories: z.array(recalledNoteSchema) }),
    costHint: 0.2,
    effect: 'read',
    openWorld: true,
    timeoutMs: 15_000,
    async run({ query, tier, limit }, { key, log }) {
      const asked = { text: query, limit, node: nodeOf(key), warn: log };
      const found = await memoryOf(settings).recall({ ...asked, ...(tier === undefined ? {} : { tier }) });
      return { memories: [...found] };
    },
  });
}
