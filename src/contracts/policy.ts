import { z } from 'zod';

/** What a task lets its run call, and which calls wait for a person. */
export const policySchema = z.strictObject({
  allow: z.array(z.string()).optional().meta({ description: 'Only these tools.' }),
  deny: z.array(z.string()).default([]).meta({ description: 'Never these tools.' }),
  effects: z
    .array(z.enum(['read', 'write', 'irreversible']))
    .default(['read', 'write', 'irreversible'])
    .meta({ description: 'Only tools of these effects.' }),
  approve: z
    .enum(['irreversible', 'write', 'all', 'none'])
    .default('irreversible')
    .meta({ description: 'Which calls wait for a person; write includes irreversible.' }),
  approvalTimeoutSeconds: z
    .number()
    .positive()
    .optional()
    .meta({ description: 'Seconds after which a question without an answer counts as denied.' }),
});

/** What a task lets its run call, defaults filled in. */
export type Policy = z.output<typeof policySchema>;
