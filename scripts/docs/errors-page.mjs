import { importBuilt } from './built.mjs';
import { code, pageHead, table } from './markdown.mjs';

const INTRO = `Every error that this program raises on purpose has a code of this table. A failure in the log, in \`result.json\`
and in \`--json\` output has the same code, its class and a message. **blame** says who has to act; **exit** is the exit
code of the command where the error ends it.`;

const CLASSES = [
  ['TRANSIENT', 'made again after a delay, up to `limits.attempts` times, where that is safe'],
  ['TOOL_MISUSE', 'the model repairs the arguments once; then the node fails, and the rest is planned anew'],
  ['MISSING_INFO', 'not made again; the rest is planned anew without it'],
  ['POLICY', 'the run stops; a denial by a person refuses its branch and allows one replan'],
  ['PERMANENT', 'not made again; the rest is planned anew'],
];

/** @param {string} root */
export async function renderErrorsPage(root) {
  const { ERROR_CODES } = await importBuilt(root, 'kernel/errors.js');
  /** @type {[string, { blame: string, retry: string, exit: number, hint: string }][]} */
  const entries = Object.entries(ERROR_CODES);
  const unknown = entries.filter(([, { retry }]) => !CLASSES.some(([name]) => name === retry));
  if (unknown.length > 0) throw new Error(`no description of the class of ${String(unknown[0]?.[0])}`);
  return [
    pageHead('Errors', 'src/kernel/errors.ts', INTRO),
    table(
      ['code', 'blame', 'class', 'exit', 'what to do'],
      entries.map(([name, { blame, retry, exit, hint }]) => [
        `<a id="${name}"></a>${code(name)}`,
        blame,
        code(retry),
        String(exit),
        hint,
      ]),
    ),
    '## Classes',
    'The class decides what follows a failure. A tool gives its failure a class by throwing `new ToolError(class, message)`.',
    table(
      ['class', 'what follows'],
      CLASSES.map(([name = '', meaning = '']) => [code(name), meaning]),
    ),
    'See also [Exit codes](exit-codes.md) and [Plan problems](plan-problems.md).',
  ].join('\n\n');
}
