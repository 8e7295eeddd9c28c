import type { ApprovalAnswer, ApprovalQuestion, DriveOptions } from '../index.ts';
import { toOneLine } from '../views/text-width.ts';
import { askForAnswer } from './ask-answer.ts';
import { ask, confirm, discardTyped } from './ask-person.ts';
import type { Io } from './io.ts';
import { whyAsked } from '../views/why-asked.ts';
import type { Progress } from './progress/observed.ts';

/**
 * Who answers when a call waits for a person: `--yes` as far as it goes, then the person at the terminal, or at the page
 * that is served, whoever is first; where there is none of them the run ends waiting.
 */
export function chooseApproval(
  yes: string | undefined,
  progress: Progress,
  signal: AbortSignal,
  io: Io,
  isServed = false,
): Pick<DriveOptions, 'approve' | 'approves'> {
  const isAllowed = (question: ApprovalQuestion): boolean =>
    question.question !== 'in_doubt' &&
    question.question !== 'answer' &&
    (yes === 'irreversible' ||
      (yes === 'write' &&
        question.question === 'consent' &&
        question.effect !== 'irreversible' &&
        whyAsked(question).length === 0));
  const allow: ApprovalAnswer = {
    decision: 'approved',
    by: yes === 'irreversible' ? '--yes=irreversible' : '--yes',
  };
  if (io.stderr.isTTY !== true || io.stdin.isTTY !== true) {
    // What the page answers comes by way of the inbox.
    if (isServed) {
      return {
        approve: (question) => (isAllowed(question) ? Promise.resolve(allow) : new Promise(() => undefined)),
      };
    }
    if (yes === undefined) return {};
    return {
      approve: () => Promise.resolve(allow),
      approves: yes === 'irreversible' ? 'consent' : 'write',
    };
  }
  let before: Promise<unknown> = Promise.resolve();
  return {
    approve: (question) => {
      if (isAllowed(question)) return Promise.resolve(allow);
      // One question at a time: two would read the same line.
      const answer = before.then(() => askAtTerminal(question, progress, signal, io));
      before = answer.catch(() => undefined);
      return answer;
    },
  };
}

/** To a question that was answered elsewhere: the first answer holds, and this one is not logged. */
const NOT_HEARD: ApprovalAnswer = { decision: 'denied', by: 'nobody' };

async function askAtTerminal(
  question: ApprovalQuestion,
  progress: Progress,
  signal: AbortSignal,
  io: Io,
): Promise<ApprovalAnswer> {
  const { node, tool, args } = question;
  const call = `${tool} ${toOneLine(JSON.stringify(args))}`;
  const by = io.env['USER'] ?? 'terminal';
  const either = AbortSignal.any([signal, question.signal]);
  progress.pause();
  try {
    await discardTyped(io);
    if (question.question === 'in_doubt') {
      const said = await askWhatBecame(`${toOneLine(node)} called ${call}`, by, io, either);
      // Nobody said: it stays open for `orchestrate approve` and the next resumption.
      return said === null && !question.signal.aborted
        ? await new Promise(() => undefined)
        : (said ?? NOT_HEARD);
    }
    if (question.question === 'answer') {
      const said = await askForAnswer(question, by, io, either);
      return said === null && !question.signal.aborted
        ? await new Promise(() => undefined)
        : (said ?? NOT_HEARD);
    }
    for (const reason of whyAsked(question)) io.stderr.write(`${toOneLine(reason)}\n`);
    const what =
      question.question === 'plan'
        ? `The new plan reaches further: ${toOneLine(JSON.stringify(args))}. Accept it?`
        : `${toOneLine(node)} wants to call ${call}. Allow it?`;
    const isAllowed = await confirm(what, io, either);
    // Ctrl-C is no denial: the question stays open for the next resumption.
    if (signal.aborted) return await new Promise(() => undefined);
    return { decision: isAllowed ? 'approved' : 'denied', by };
  } finally {
    progress.resume();
  }
}

async function askWhatBecame(
  what: string,
  by: string,
  io: Io,
  signal: AbortSignal,
): Promise<ApprovalAnswer | null> {
  const choices = 'Make it again (again), give its result (done), or give up (fail)?';
  for (;;) {
    const word = await ask(`${what}, and nobody knows whether it was done. ${choices} `, io, signal);
    if (word === null) return null;
    if (word === 'again') return { decision: 'approved', by };
    if (word === 'fail') return { decision: 'denied', by };
    if (word !== 'done') continue;
    const text = await ask('Its result, as JSON: ', io, signal);
    try {
      return { decision: 'done', by, value: JSON.parse(text ?? '') as NonNullable<ApprovalAnswer['value']> };
    } catch {
      io.stderr.write('That is no JSON.\n');
    }
  }
}
