import { z } from 'zod';

const patterns = z.array(z.string().min(1));
const guard = z.enum(['ask', 'deny', 'allow']).optional();

/** Patterns of which one must match, where there are any, and of which none may. */
const rulesOf = (what: string) =>
  z.strictObject({
    allow: patterns.optional().meta({ description: `Only ${what} that one of these matches.` }),
    deny: patterns.default([]).meta({ description: `Never ${what} that one of these matches.` }),
  });

/** What a task lets its run call, and which calls wait for a person. */
export const policySchema = z.strictObject({
  allow: z.array(z.string()).optional().meta({ description: 'Only these tools.' }),
  deny: z.array(z.string()).default([]).meta({ description: 'Never these tools.' }),
  effects: z
    .array(z.enum(['read', 'write', 'irreversible']))
    .default(['read', 'write', 'irreversible'])
    .meta({ description: 'Only tools of these effects.' }),
  paths: rulesOf('paths of the workspace')
    .optional()
    .meta({ description: 'Paths that calls may name or be led to: `docs`, `*.md`, `src/**`.' }),
  hosts: rulesOf('hosts')
    .optional()
    .meta({ description: 'Hosts that calls may name or be redirected to: `example.com`, `*.example.com`.' }),
  commands: rulesOf('commands')
    .extend({
      trusted: patterns.default([]).meta({
        description: 'Commands that are not asked about, such as `npm test` or `npm run *`, word for word.',
      }),
    })
    .optional()
    .meta({ description: 'Commands that calls may run, word for word; `**` stands for any words.' }),
  approve: z
    .enum(['irreversible', 'write', 'all', 'none'])
    .default('irreversible')
    .meta({ description: 'Which calls wait for a person; write includes irreversible.' }),
  tainted: guard.meta({
    description:
      'What happens to a call that would hand what came from the open world to an irreversible tool, or as a path, address, host, command, code or recipient; ask where not given.',
  }),
  dangerous: guard.meta({
    description: 'What happens to a command that is not known to be harmless; ask where not given.',
  }),
  widened: guard.meta({
    description:
      'What happens to a replan that adds tools, hosts, commands, recipients or irreversible calls; ask where not given.',
  }),
  approvalTimeoutSeconds: z
    .number()
    .positive()
    .optional()
    .meta({ description: 'Seconds after which a question without an answer counts as denied.' }),
  sandbox: z.enum(['required', 'allow_without']).default('required').meta({
    description:
      'Whether tools that run programs need bubblewrap; with allow_without they run as this user where it is missing, and count as irreversible.',
  }),
});

/** What a task lets its run call, defaults filled in. */
export type Policy = z.output<typeof policySchema>;

/**
 * The policy of a new run, in which the guards that it does not set ask. Runs recorded before there were guards have none,
 * and are replayed without.
 */
export function withGuards(policy: Policy): Policy {
  const { tainted = 'ask', dangerous = 'ask', widened = 'ask' } = policy;
  return { ...policy, tainted, dangerous, widened };
}

/** Whether a policy is that of a run with guards: its prompts have fences, and its repairs change only what is wrong. */
export function hasGuards({ tainted }: Policy): boolean {
  return tainted !== undefined;
}
