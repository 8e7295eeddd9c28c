import type { PageModel } from '../views/page/page-model.ts';
import { element } from './element.ts';
import { type Section, sectionFrame } from './section.ts';
import { textView, valueView } from './value-view.ts';

const TIERS: Readonly<Record<string, string>> = {
  none: 'nothing was verified',
  checks: 'by its checks alone',
  judge: 'by its checks and a judge',
};

/** What the run answers, and what the critic said of that with each of its checks. */
export class VerdictView implements Section {
  readonly root = element('div', { class: 'columns even' });
  readonly #answer = sectionFrame('answer', 'Answer');
  readonly #verdict = sectionFrame('verdict', 'Verdict');
  readonly #answerBody = element('div');
  readonly #verdictBody = element('div');
  #shown = '';

  constructor() {
    this.#answer.append(this.#answerBody);
    this.#verdict.append(this.#verdictBody);
    this.root.append(this.#answer, this.#verdict);
  }

  update({ summary, reading }: PageModel): void {
    const { verdict, output, partial } = summary;
    this.#answer.hidden = output === null && partial === null;
    this.#verdict.hidden = verdict === null;
    this.root.hidden = this.#answer.hidden && this.#verdict.hidden;
    // What is shown stays as it is, folded or not, until there is something else.
    const shown = JSON.stringify([reading.finished?.seq ?? null, verdict]);
    if (shown === this.#shown) return;
    this.#shown = shown;
    this.#answerBody.replaceChildren(
      output !== null ? valueView('Answer', output) : textView('Partial answer', partial ?? ''),
    );
    this.#verdictBody.replaceChildren(...(verdict === null ? [] : renderVerdict(verdict)));
  }
}

function renderVerdict(verdict: NonNullable<PageModel['summary']['verdict']>): HTMLElement[] {
  const { outcome, tier, score, checks, reasons } = verdict;
  const tone = outcome === 'pass' ? 'good' : outcome === 'fail' ? 'bad' : 'warn';
  const sign = outcome === 'pass' ? '✓' : outcome === 'fail' ? '✕' : '?';
  return [
    element(
      'p',
      { class: 'verdict-line' },
      element(
        'span',
        { class: `status tone-${tone}` },
        element('span', { 'aria-hidden': 'true' }, sign),
        outcome,
      ),
      ` ${TIERS[tier] ?? tier}${score === undefined ? '' : `, score ${score}`}`,
    ),
    element(
      'ul',
      { class: 'checks' },
      ...checks.map(({ name, ok, message }) =>
        element(
          'li',
          { class: ok ? 'holds' : 'fails' },
          element(
            'span',
            { class: `sign ${ok ? 'is-done' : 'is-failed'}`, 'aria-hidden': 'true' },
            ok ? '✓' : '✕',
          ),
          element(
            'div',
            {},
            element('b', {}, name),
            element('span', { class: 'unseen' }, ok ? ' holds' : ' does not hold'),
            element('div', { class: 'note' }, message),
          ),
        ),
      ),
    ),
    ...(reasons.length === 0
      ? []
      : [element('ul', { class: 'reasons' }, ...reasons.map((reason) => element('li', {}, reason)))]),
  ];
}
