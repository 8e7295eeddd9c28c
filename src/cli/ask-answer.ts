import type { ApprovalAnswer, ApprovalQuestion } from '../index.ts';
import { isJsonObject } from '../kernel/json.ts';
import { toOneLine } from '../views/text-width.ts';
import { ask } from './ask-person.ts';
import type { Io } from './io.ts';

/** Puts the question of an interactive tool at the terminal; null where nobody said anything. */
export async function askForAnswer(
  { node, args, answer = {} }: Pick<ApprovalQuestion, 'node' | 'args' | 'answer'>,
  by: string,
  io: Io,
  signal: AbortSignal,
): Promise<ApprovalAnswer | null> {
  const { parseAnswer } = await import('../compose.ts');
  const { question, choices } = isJsonObject(args) ? args : {};
  const text = typeof question === 'string' ? question : JSON.stringify(args);
  io.stderr.write(`${toOneLine(node)} asks: ${text.split('\n').map(toOneLine).join('\n  ')}\n`);
  const list = Array.isArray(choices) ? choices.map(String) : [];
  for (const [index, choice] of list.entries()) io.stderr.write(`  ${index + 1} ${toOneLine(choice)}\n`);
  const isPlain = isJsonObject(answer) && answer['type'] === 'string';
  if (!isPlain) io.stderr.write(`  as JSON: ${toOneLine(JSON.stringify(answer))}\n`);
  for (;;) {
    const said = await ask('Your answer (nothing: no answer): ', io, signal);
    if (said === null) return null;
    if (said === '') return { decision: 'denied', by, reason: 'no answer was given' };
    const { value, problems } = parseAnswer(answer, list[Number(said) - 1] ?? said);
    if (problems.length === 0) return { decision: 'done', by, value };
    io.stderr.write(`${problems.map(toOneLine).join('\n')}\n`);
  }
}
