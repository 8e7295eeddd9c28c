import { z } from 'zod';

/** Argument: code that a model looks at. */
export const codeField = z.string().min(1).max(200_000).describe('The code, usually passed by reference.');
