import { z } from 'zod';
import { cutText } from '../../kernel/cut-text.ts';
import type { Json } from '../../kernel/json.ts';
import { jsonValue } from '../../contracts/json-value.ts';
import { ToolError } from '../../kernel/errors.ts';
import { defineTool } from '../define-tool.ts';
import type { JavascriptReport } from '../javascript/javascript-job.ts';
import { runJavascript as runInThread } from '../javascript/run-javascript.ts';

const MEBIBYTE = 1024 * 1024;
const MAX_CODE_CHARS = 200_000;
const MAX_RESULT_CHARS = 4 * MEBIBYTE;
const MAX_PRINTED_CHARS = 64 * 1024;
const MAX_MESSAGE_CHARS = 2000;

/** Built-in `run_javascript`: a program without anything of this machine, for what has to be computed. */
export const runJavascript = defineTool({
  name: 'run_javascript',
  description:
    'Runs a program in JavaScript (QuickJS, ECMAScript 2023) and returns its result. It has no files, no network, no modules and no timers; only what is passed as input.',
  input: z.strictObject({
    code: z
      .string()
      .min(1)
      .max(MAX_CODE_CHARS)
      .describe(
        'The body of an async function with the parameter input; it returns the result as plain JSON.',
      ),
    input: jsonValue
      .default(null)
      .describe('Any value, such as the result of another step; input in the code.'),
    timeoutSeconds: z.int().min(1).max(60).default(10).describe('After so many seconds it is ended.'),
    memoryMiB: z.int().min(1).max(512).default(64).describe('Memory that it may take, in MiB.'),
  }),
  output: z.strictObject({
    result: jsonValue,
    printed: z.string().describe('What it wrote with console.log.'),
    truncated: z.boolean().describe('Whether it wrote more than is returned.'),
  }),
  costHint: 0.3,
  effect: 'read',
  timeoutMs: 90_000,
  argumentKinds: { code: 'code' },
  async run({ code, input, timeoutSeconds, memoryMiB }, { signal }) {
    const report = await runInThread(
      {
        code,
        input: toLiteral(input),
        timeoutMs: timeoutSeconds * 1000,
        memoryBytes: memoryMiB * MEBIBYTE,
        maxResultChars: MAX_RESULT_CHARS,
        maxPrintedChars: MAX_PRINTED_CHARS,
      },
      signal,
    );
    return toOutput(report, { timeoutSeconds, memoryMiB });
  },
});

/** JSON is JavaScript, but for one name that an object literal takes for its prototype. */
function toLiteral(input: Json): string {
  return `JSON.parse(${JSON.stringify(JSON.stringify(input))})`;
}

function toOutput(
  report: JavascriptReport,
  { timeoutSeconds, memoryMiB }: { timeoutSeconds: number; memoryMiB: number },
): { result: Json; printed: string; truncated: boolean } {
  switch (report.kind) {
    case 'returned':
      if (report.result === null) {
        throw new ToolError('TOOL_MISUSE', 'the code returned nothing; end it with a return of plain JSON');
      }
      return {
        result: JSON.parse(report.result) as Json,
        printed: report.printed,
        truncated: report.isPrintCut,
      };
    case 'threw':
      throw new ToolError('TOOL_MISUSE', `the code failed: ${cutText(report.message, MAX_MESSAGE_CHARS)}`);
    case 'refused': {
      const what = {
        time: `did not end within ${timeoutSeconds} s`,
        memory: `took more than ${memoryMiB} MiB of memory`,
        stack: 'calls itself too deeply',
        result: `returns more than ${MAX_RESULT_CHARS} characters`,
      }[report.limit];
      throw new ToolError('TOOL_MISUSE', `the code ${what}`, { details: { limit: report.limit } });
    }
  }
}
