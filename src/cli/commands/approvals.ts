import type { OpenQuestion } from '../../index.ts';
import { formatDuration } from '../../views/format-amounts.ts';
import { toOneLine } from '../../views/text-width.ts';
import { type Command, SHARED_OPTIONS } from '../command.ts';
import { writeLine } from '../io.ts';
import { shellWord } from '../shell-word.ts';
import { createStyle } from '../style.ts';
import { whyAsked } from '../../views/why-asked.ts';

/** Lists every open question of every run, with its arguments whole and its age. */
export const approvalsCommand: Command = {
  options: { ...SHARED_OPTIONS.json, ...SHARED_OPTIONS.runsFolder },
  async run(args, io) {
    const runsFolder = args.text('runs-folder');
    const { listQuestions, openRunStore } = await import('../../compose.ts');
    const questions = await listQuestions(openRunStore(runsFolder));
    if (args.isSet('json')) {
      writeLine(io.stdout, JSON.stringify(questions, null, 2));
      return 0;
    }
    const [first] = questions;
    if (first === undefined) {
      writeLine(io.stdout, 'Nothing waits for a person.\n\nNext: orchestrate runs');
      return 0;
    }
    const style = createStyle(io.stdout, io.env);
    for (const question of questions) {
      const { runId, node, args: asked } = question;
      writeLine(io.stdout, `${style.bold(toOneLine(node))} of ${runId} ${describe(question, Date.now())}`);
      writeLine(io.stdout, `  ${toOneLine(JSON.stringify(asked))}`);
      for (const reason of whyAsked(question)) writeLine(io.stdout, `  ${toOneLine(reason)}`);
    }
    writeLine(io.stdout, `\nNext: ${adviseOn(first, questions, runsFolder)}`);
    return 0;
  },
};

function describe({ question, tool, effect, askedAtMs, expiresAtMs }: OpenQuestion, nowMs: number): string {
  const what = {
    consent: 'wants to call',
    in_doubt: 'in doubt whether it has called',
    plan: '',
    answer: 'asks by',
  }[question];
  const asked = `${what === '' ? 'reaches further than the plan before' : `${what} ${tool} (${effect})`}, asked ${formatDuration(Math.max(0, nowMs - askedAtMs))} ago`;
  if (expiresAtMs === null) return asked;
  if (expiresAtMs > nowMs) return `${asked}, denied in ${formatDuration(expiresAtMs - nowMs)}`;
  return `${asked}; the time to answer is over, so it counts as denied`;
}

/** To answer the first question that can still be answered, else to go on with what counts as denied. */
function adviseOn(
  first: OpenQuestion,
  questions: readonly OpenQuestion[],
  runsFolder: string | undefined,
): string {
  const where = runsFolder === undefined ? '' : ` --runs-folder ${shellWord(runsFolder)}`;
  const open = questions.find(({ expiresAtMs }) => expiresAtMs === null || expiresAtMs > Date.now());
  if (open === undefined) return `orchestrate resume ${first.runId}${where}`;
  const answered = `${open.runId} ${shellWord(open.node)}${where}`;
  const value = open.question === 'answer' ? ' --value ANSWER' : '';
  return `orchestrate approve ${answered}${value} · orchestrate deny ${answered}`;
}
