import type { ToolSpec } from '../contracts/tool.ts';
import type { EventOf } from '../flight/events.ts';
import { isJsonObject, type Json } from '../kernel/json.ts';
import { formatTime } from '../views/format-amounts.ts';
import { visibleText } from '../views/page/visible-text.ts';
import { whyAsked } from '../views/why-asked.ts';
import { element } from './element.ts';
import { type Choice, choicesOf, questionTitle, writtenPart } from './question-texts.ts';
import { SchemaForm } from './schema-form.ts';

type Question = EventOf<'approval.requested'>;

/** One question to a person, with its arguments open, and the form that answers it. */
export class QuestionCard {
  readonly root: HTMLElement;
  readonly #question: Question;
  readonly #base: string | null;
  readonly #reason = element('textarea', { rows: 2, class: 'reason-text' });
  readonly #told = element('p', { class: 'told', role: 'status' });
  readonly #send = element('button', { type: 'submit', class: 'primary' }, 'Answer');
  readonly #changes: SchemaForm;
  #choice: Choice['value'] | null = null;

  constructor(
    question: Question,
    tool: ToolSpec | undefined,
    base: string | null,
    expiresAtMs: number | null,
  ) {
    this.#question = question;
    this.#base = base;
    const { label, schema, value } = writtenPart(question, tool);
    const whys = whyAsked(question);
    this.#changes = new SchemaForm(label, schema, value);
    this.#changes.root.hidden = true;
    const { node } = question;
    const title = questionTitle(question);
    const until =
      expiresAtMs === null ? '' : `; without an answer it counts as denied at ${formatTime(expiresAtMs)}`;
    this.root = element(
      'article',
      { class: 'question', 'aria-label': title, 'data-question': node },
      element(
        'div',
        { class: 'headline' },
        element('span', { class: 'sign is-waiting', 'aria-hidden': 'true' }, '‖'),
        element('h3', {}, title),
        tool === undefined ? null : element('span', { class: `status ${toneOf(tool)}` }, tool.effect),
      ),
      element('p', { class: 'note' }, `${tool?.description ?? ''} Asked ${formatTime(question.at)}${until}.`),
      ...(whys.length === 0
        ? []
        : [element('ul', { class: 'whys' }, ...whys.map((why) => element('li', {}, visibleText(why))))]),
      renderArgs(question.args),
      base === null ? element('p', { class: 'note' }, advice(question)) : this.#form(choicesOf(question)),
    );
  }

  #form(choices: readonly Choice[]): HTMLElement {
    const name = `question-${this.#question.seq}`;
    const options = choices.map(({ value, label, note }) => {
      const radio = element('input', { type: 'radio', name, value, required: true });
      radio.addEventListener('change', () => this.#choose(value));
      return element(
        'label',
        { class: 'choice' },
        radio,
        element('span', {}, element('b', {}, `${label} `), element('span', { class: 'note' }, note)),
      );
    });
    const reason = element('label', { class: 'field' }, 'Why (for the log and the planner)', this.#reason);
    const form = element(
      'form',
      {},
      element(
        'fieldset',
        { class: 'choices' },
        element('legend', { class: 'unseen' }, 'Your answer'),
        ...options,
      ),
      this.#changes.root,
      reason,
      element('div', { class: 'send' }, this.#send, this.#told),
    );
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      void this.#submit();
    });
    return form;
  }

  #choose(value: Choice['value']): void {
    this.#choice = value;
    this.#changes.root.hidden = value !== 'change' && value !== 'done';
    this.#send.textContent = value === 'deny' ? 'Deny' : 'Answer';
    this.#send.classList.toggle('danger', value === 'deny');
  }

  async #submit(): Promise<void> {
    const choice = this.#choice;
    if (choice === null) return;
    const written = choice === 'change' || choice === 'done' ? this.#changes.read() : { value: undefined };
    if (written === null) return;
    const decision = choice === 'deny' ? 'denied' : choice === 'done' ? 'done' : 'approved';
    this.#tell('Sending …', true);
    this.#send.disabled = true;
    const answer = {
      ...{ node: this.#question.node, question: this.#question.seq, decision, reason: this.#reason.value },
      ...(choice === 'change' ? { args: written.value } : {}),
      ...(choice === 'done' ? { value: written.value ?? null } : {}),
    };
    try {
      const response = await fetch(`${this.#base ?? ''}/answer`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(answer),
      });
      const report = (await response.json()) as {
        message?: string;
        hint?: string;
        isRunning?: boolean;
        runId?: string;
      };
      if (response.ok) this.#tell(describeReport(report), true);
      else
        this.#tell(
          `${report.message ?? 'refused'} ${report.hint ?? ''}`.replace(
            /--(args|done|value)\b/g,
            'the value',
          ),
          false,
        );
      this.#send.disabled = response.ok;
    } catch {
      this.#tell('The server did not answer: the process that served this page has ended.', false);
      this.#send.disabled = false;
    }
  }

  #tell(text: string, isGood: boolean): void {
    this.#told.textContent = text;
    this.#told.classList.toggle('problem', !isGood);
  }
}

/** Each argument by itself and whole, so that none can pass for another. */
function renderArgs(args: Json): HTMLElement {
  const parts = isJsonObject(args) ? Object.entries(args) : [['', args] as const];
  return element(
    'dl',
    { class: 'args', 'aria-label': 'Arguments of the call' },
    ...parts.flatMap(([name, value]) => [
      element('dt', {}, visibleText(name)),
      element('dd', {}, visibleText(typeof value === 'string' ? value : JSON.stringify(value, null, 2))),
    ]),
  );
}

function toneOf({ effect }: ToolSpec): string {
  return effect === 'irreversible' ? 'tone-bad' : effect === 'write' ? 'tone-warn' : '';
}

function describeReport({ isRunning, runId }: { isRunning?: boolean; runId?: string }): string {
  return isRunning === true
    ? 'Answered; the run goes on.'
    : `Answered. Nothing runs now: continue with orchestrate resume ${runId ?? ''}`;
}

function advice({ node }: Question): string {
  return `This page is a copy: answer with orchestrate approve or deny, and the name ${node}, or on the page of orchestrate web.`;
}
