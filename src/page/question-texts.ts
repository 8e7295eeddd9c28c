import { answerSchema } from '../contracts/asked-answer.ts';
import type { JsonSchema } from '../contracts/schema.ts';
import type { ToolSpec } from '../contracts/tool.ts';
import type { EventOf } from '../flight/events.ts';

type Question = EventOf<'approval.requested'>;
type Kind = Question['question'];

/** One of the answers that a person chooses from. */
export interface Choice {
  readonly value: 'approve' | 'change' | 'deny' | 'again' | 'done';
  readonly label: string;
  readonly note: string;
}

/** What can be answered to each kind of question. */
export const CHOICES: Readonly<Record<Kind, readonly Choice[]>> = {
  consent: [
    { value: 'approve', label: 'Allow', note: 'The call is made as it stands above.' },
    {
      value: 'change',
      label: 'Allow with other arguments',
      note: 'The call is made with what you write below.',
    },
    { value: 'deny', label: 'Deny', note: 'It is not made; the rest of the plan may be drawn anew once.' },
  ],
  in_doubt: [
    { value: 'again', label: 'Make it again', note: 'It was not made, or may be made twice.' },
    { value: 'done', label: 'It was made', note: 'Its result is what you write below.' },
    { value: 'deny', label: 'Give up', note: 'The node fails, and the call is not made again.' },
  ],
  plan: [
    { value: 'approve', label: 'Accept', note: 'The run goes on by the new plan.' },
    { value: 'deny', label: 'Deny', note: 'The run does not go on by it.' },
  ],
  answer: [
    { value: 'done', label: 'Answer', note: 'What you write below becomes the result of the step.' },
    {
      value: 'deny',
      label: 'No answer',
      note: 'The step fails; the rest of the plan may be drawn anew once.',
    },
  ],
};

/** What a question is about, in one line. */
export function questionTitle({ question, node, tool }: Question): string {
  switch (question) {
    case 'consent':
      return `${node} wants to call ${tool}`;
    case 'in_doubt':
      return `Nobody knows whether ${node} has called ${tool}`;
    case 'plan':
      return 'The new plan reaches further than the one before';
    case 'answer':
      return `${node} asks you`;
  }
}

/** What a person may write with an answer: its name, its schema, and what stands there at first. */
export function writtenPart(
  { question, args }: Question,
  tool: ToolSpec | undefined,
): { readonly label: string; readonly schema: JsonSchema; readonly value: Question['args'] | undefined } {
  switch (question) {
    case 'consent':
    case 'plan':
      return { label: 'Arguments of the call', schema: tool?.input ?? true, value: args };
    case 'in_doubt':
      return { label: 'Result of the call', schema: tool?.output ?? true, value: undefined };
    case 'answer':
      return { label: 'Your answer', schema: answerSchema(args, tool?.output), value: undefined };
  }
}
