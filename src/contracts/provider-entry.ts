import { z } from 'zod';

const positive = z.int().positive();

/** How often a provider is asked at most. */
export const rateLimitSchema = z.strictObject({
  requestsPerMinute: positive
    .optional()
    .meta({ description: 'Calls a minute that the provider is asked at most.' }),
  tokensPerMinute: positive
    .optional()
    .meta({ description: 'Tokens a minute that calls of the provider take at most.' }),
});

/** Where models run: a provider by name or module, with what differs from its defaults. */
export const providerEntrySchema = z.strictObject({
  name: z.string().min(1).meta({ description: 'The name of a provider, or a module (./mock.ts).' }),
  model: z
    .string()
    .min(1)
    .optional()
    .meta({ description: 'Model for roles that have none of their own here.' }),
  models: z
    .record(z.string(), z.string().min(1))
    .optional()
    .meta({ description: 'Model per role at this provider.' }),
  api: z
    .enum(['messages', 'chat', 'responses'])
    .optional()
    .meta({ description: 'Wire format, where it is not the usual one.' }),
  baseUrl: z.url().optional().meta({ description: 'Address of a compatible server.' }),
  apiKeyEnv: z.string().min(1).optional().meta({ description: 'Environment variable that holds the key.' }),
  credentialCommand: z.string().min(1).optional().meta({ description: 'Command that prints a fresh key.' }),
  stream: z
    .boolean()
    .optional()
    .meta({ description: 'Whether answers come in pieces; true where not given.' }),
  rateLimit: rateLimitSchema.optional(),
});

/** A provider of a task, with what differs from its defaults. */
export type ProviderEntry = z.infer<typeof providerEntrySchema>;

/** A provider by name or module, or with what differs from its defaults. */
export const providerSchema = z.union([z.string().min(1), providerEntrySchema]);

/** One place of a chain that a role has of its own: a provider and its model. */
export const modelLinkSchema = z.strictObject({ provider: providerSchema, model: z.string().min(1) });

/** One place of a chain that a role has of its own. */
export type ModelLink = z.infer<typeof modelLinkSchema>;
