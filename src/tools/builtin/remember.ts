import { z } from 'zod';
import type { Tool } from '../../contracts/tool.ts';
import { hashJson } from '../../kernel/hash.ts';
import { defineTool } from '../define-tool.ts';
import { type BuiltinSettings, memoryOf, nodeOf } from './builtin-settings.ts';

/** Built-in `remember`: a text for later runs, in the scope of the task. */
export function createRemember(settings: BuiltinSettings): Tool {
  return defineTool({
    name: 'remember',
    description:
      'Keeps a short text for later runs of this task and those that share its memory, found again by recall. What looks like a credential is masked.',
    input: z.strictObject({
      text: z
        .string()
        .trim()
        .min(1)
        .max(2000)
        .describe('What is to be kept, in words that stand for themselves.'),
    }),
    output: z.strictObject({ id: z.string().describe('Names it for `orchestrate memory`.') }),
    costHint: 0.1,
    effect: 'write',
    idempotent: true,
    timeoutMs: 15_000,
    async run({ text }, { key, idempotencyKey }) {
      const id = `note/${hashJson(idempotencyKey).slice(0, 32)}`;
      await memoryOf(settings).remember({ id, text, node: nodeOf(key) });
      return { id };
    },
  });
}
