import { z } from 'zod';
import { ToolError } from '../../kernel/errors.ts';
import { evaluate } from '../data/evaluate.ts';
import { isExact, type Quantity, toNumber, toQuantity, toText } from '../data/quantity.ts';
import { defineTool } from '../define-tool.ts';

/** Built-in `calculate`: arithmetic that a model should not do in its head. */
export const calculate = defineTool({
  name: 'calculate',
  description:
    'Calculates an expression exactly: + - * / % ^, parentheses, pi, e, and abs floor ceil trunc round min max sum mean median sqrt cbrt exp ln log10 log2 log sin cos tan asin acos atan atan2 hypot. Fractions and decimals are not rounded on the way. Pass values from other steps as variables.',
  input: z.strictObject({
    expression: z
      .string()
      .min(1)
      .max(4000)
      .describe('The expression, such as round((a - b) / b * 100, 1); % is the remainder of a division.'),
    variables: z
      .record(z.string().regex(/^[\p{L}_][\p{L}\p{N}_]{0,63}$/u), z.number())
      .default({})
      .describe('Numbers by the name that they have in the expression.'),
  }),
  output: z.strictObject({
    value: z.number().describe('The result as a number of JSON.'),
    text: z.string().describe('The result with every digit that is known.'),
    exact: z.boolean().describe('Whether the result is exact; functions such as sqrt round.'),
  }),
  costHint: 0.05,
  effect: 'read',
  cache: true,
  timeoutMs: 10_000,
  run({ expression, variables }) {
    const known = new Map<string, Quantity>();
    for (const [name, value] of Object.entries(variables)) known.set(name, toQuantity(value));
    const result = evaluate(expression, known);
    const value = toNumber(result);
    if (!Number.isFinite(value)) {
      throw new ToolError('TOOL_MISUSE', 'the expression has no result that is a number', {
        details: { expression },
      });
    }
    return { value, text: toText(result), exact: isExact(result) };
  },
});
