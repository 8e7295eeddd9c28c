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

/** What can be answered to each kind of question about a node. */
const CHOICES: Readonly<Record<Kind, readonly Choice[]>> = {
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

/** What follows a denial of a call that an agent wants to make. */
const AGENT_DENIALS: Partial<Record<Kind, string>> = {
  consent: 'It is not made, and the agent is told why.',
  in_doubt: 'The agent is told that it failed, and the call is not made again.',
  answer: 'The agent is told that nobody answered.',
};

/** What can be answered to a question. */
export function choicesOf({ question, call }: Pick<Question, 'question' | 'call'>): readonly Choice[] {
  const denial = call === undefined ? undefined : AGENT_DENIALS[question];
  const choices = CHOICES[question];
  if (denial === undefined) return choices;
  return choices.map((choice) => (choice.value === 'deny' ? { ...choice, note: denial } : choice));
}

/** What a question is about, in one line. */
export function questionTitle({ question, node: asked, tool, call }: Question): string {
  const node = call === undefined ? asked : `the agent ${call.slice(0, call.lastIndexOf('/'))}`;
  switch (question) {
    case 'consent':
      return `${capital(node, call)} wants to call ${tool}`;
    case 'in_doubt':
      return `Nobody knows whether ${node} has called ${tool}`;
    case 'plan':
      return 'The new plan reaches further than the one before';
    case 'answer':
      return `${capital(node, call)} asks you`;
  }
}

/** Names of nodes stay as they are. */
function capital(who: string, call: string | undefined): string {
  return call === undefined ? who : `${who.charAt(0).toUpperCase()}${who.slice(1)}`;
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
