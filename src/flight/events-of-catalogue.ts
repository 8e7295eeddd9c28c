import { z } from 'zod';

/** What is said of tools that cannot be called, or are not what they were; logs of before lack it. */
export const catalogueNotes = () => ({
  quarantined: z
    .array(z.strictObject({ tool: z.string(), reason: z.string() }))
    .optional()
    .meta({ description: 'Tools that are there and cannot be called, and why.' }),
  unavailable: z
    .array(z.strictObject({ server: z.string(), reason: z.string() }))
    .optional()
    .meta({ description: 'MCP servers whose list could not be had; the tools of the list before stay.' }),
  changed: z
    .array(z.strictObject({ tool: z.string(), parts: z.array(z.string()) }))
    .optional()
    .meta({ description: 'Tools that are not what they were when they were pinned, before this run.' }),
});
