import { z } from 'zod';

/** The dimensions of a budget. */
export const BUDGET_DIMENSIONS = ['tokens', 'toolCalls', 'llmCalls', 'wallSeconds', 'costUsd'] as const;

/** A dimension of the budget. */
export type BudgetDimension = (typeof BUDGET_DIMENSIONS)[number];

/** How pressed the run is; see the table of modes in the reference. */
export type BudgetMode = 'full' | 'economy' | 'minimal' | 'stopped';

/** What a call takes from the ledger before it starts. Cost in millionths of a US dollar. */
export const reservationSchema = z.strictObject({
  tokens: z.number().int().nonnegative().optional(),
  toolCalls: z.number().int().nonnegative().optional(),
  llmCalls: z.number().int().nonnegative().optional(),
  costMicroUsd: z.number().int().nonnegative().optional(),
});

/** What a call takes from the ledger before it starts. */
export type Reservation = z.infer<typeof reservationSchema>;

const rates = {
  inputPerMTok: z.number().nonnegative(),
  outputPerMTok: z.number().nonnegative(),
  cacheReadPerMTok: z.number().nonnegative().optional(),
  cacheWritePerMTok: z.number().nonnegative().optional(),
};

/** Price of a model in US dollars per million tokens. */
export const priceSchema = z.strictObject({
  ...rates,
  longPrompt: z
    .strictObject({ aboveInputTokens: z.int().nonnegative(), ...rates })
    .optional()
    .meta({ description: 'What the whole call costs where its prompt is longer.' }),
});

/** Price of a model in US dollars per million tokens. */
export type Price = z.infer<typeof priceSchema>;
