import { z } from 'zod';

/** The result of one deterministic check. */
export const checkResultSchema = z.strictObject({
  /** The check as people name it, such as `includes Paris`. */
  name: z.string(),
  ok: z.boolean(),
  /** Why it failed, or what was checked where it held. */
  message: z.string(),
});

/** The result of one deterministic check. */
export type CheckResult = z.infer<typeof checkResultSchema>;

/** What the critic concluded. `indeterminate` is never a pass. */
export const verdictSchema = z.strictObject({
  outcome: z.enum(['pass', 'fail', 'indeterminate']),
  /** `checks` where only the deterministic checks ran, `judge` where a model judged too, `none` without either. */
  tier: z.enum(['none', 'checks', 'judge']),
  checks: z.array(checkResultSchema),
  /** The judge's score in [0, 1]. */
  score: z.number().min(0).max(1).optional(),
  /** What is wrong, or why no verdict could be obtained. */
  reasons: z.array(z.string()),
});

/** What the critic concluded. */
export type Verdict = z.infer<typeof verdictSchema>;
