import { z } from 'zod';
import type { Json } from '../kernel/json.ts';

/** Any JSON value, as a schema. */
export const jsonValue = z.json() as unknown as z.ZodType<Json>;
