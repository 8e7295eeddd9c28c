import type { ApprovalQuestion, ClarifyQuestion } from '../../index.ts';
import { isJsonObject } from '../../kernel/json.ts';
import { toOneLine } from '../../views/text-width.ts';
import { whyAsked } from '../../views/why-asked.ts';

/** The key of a call of the agent itself, and not of one that it handed work to. */
const OWN_CALL = /^chat\/\d+\/\d+$/;

/** A question to the person: what is shown above it, what the answer is asked with, and where it goes. */
export interface ChatQuestion {
  readonly lines: readonly string[];
  readonly prompt: string;
  readonly answer: (text: string) => void;
}

/** Questions to the person, put one at a time. */
export class ChatQuestions {
  readonly #onChange: () => void;
  #open: ChatQuestion[] = [];

  /** `onChange` is called where another question is the one that is put, or none. */
  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /** The question that is put now. */
  get current(): ChatQuestion | undefined {
    return this.#open[0];
  }

  /** Whether a call may be made, what became of it, or what a tool wants to know; the text as the person types it. */
  readonly authorise = (question: ApprovalQuestion): Promise<string> =>
    this.#ask(describeApproval(question), question.signal, choicesOf(question));

  /** What the agent wants to know before it goes on. */
  readonly clarify = ({ question, choices, signal }: ClarifyQuestion): Promise<string> => {
    const lines = [question, ...choices.map((choice, index) => `  ${index + 1} ${choice}`)];
    return this.#ask({ lines, prompt: 'answer:' }, signal, choices);
  };

  #ask(
    described: Pick<ChatQuestion, 'lines' | 'prompt'>,
    signal: AbortSignal,
    choices: readonly string[],
  ): Promise<string> {
    return new Promise((resolve) => {
      const leave = (text: string): void => {
        signal.removeEventListener('abort', onAbort);
        this.#open = this.#open.filter((each) => each !== question);
        resolve(text);
        this.#onChange();
      };
      // Nobody waits for the answer any more.
      const onAbort = (): void => leave('n');
      const question = {
        ...described,
        lines: described.lines.flatMap((line) => line.split('\n').map(toOneLine)),
        answer: (text: string) => leave(choices[Number(text.trim()) - 1] ?? text),
      };
      if (signal.aborted) {
        resolve('n');
        return;
      }
      signal.addEventListener('abort', onAbort, { once: true });
      this.#open.push(question);
      if (this.#open.length === 1) this.#onChange();
    });
  }
}

function describeApproval(question: ApprovalQuestion): Pick<ChatQuestion, 'lines' | 'prompt'> {
  const { node, tool, args, effect } = question;
  const call = `${tool} ${JSON.stringify(args)}`;
  switch (question.question) {
    case 'in_doubt':
      return {
        lines: [`Nobody knows whether this call was made: ${call}`],
        prompt: 'y (make it), n (do not), done RESULT:',
      };
    case 'answer': {
      const asked = isJsonObject(args) ? args['question'] : undefined;
      const list = choicesOf(question).map((choice, index) => `  ${index + 1} ${choice}`);
      return { lines: [typeof asked === 'string' ? asked : call, ...list], prompt: 'answer:' };
    }
    case 'plan':
      return { lines: [`The new plan reaches further: ${JSON.stringify(args)}`], prompt: 'y, n:' };
    case 'consent': {
      const kind = effect === 'irreversible' ? 'irreversible call' : `call that ${effect}s`;
      return {
        lines: [
          `${OWN_CALL.test(node) ? 'It' : node.slice(0, node.lastIndexOf('/'))} wants to make this ${kind}: ${call}`,
          ...whyAsked(question),
        ],
        prompt: 'y, y -N, n, or what to do instead:',
      };
    }
  }
}

function choicesOf({ question, args }: ApprovalQuestion): readonly string[] {
  const choices = question === 'answer' && isJsonObject(args) ? args['choices'] : undefined;
  return Array.isArray(choices) ? choices.map(String) : [];
}
