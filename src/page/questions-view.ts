import type { PageModel } from '../views/page/page-model.ts';
import { element } from './element.ts';
import { QuestionCard } from './question-card.ts';
import { type Section, sectionFrame } from './section.ts';

/** What waits for a person, above everything else; what was written stays while the rest of the run goes on. */
export class QuestionsView implements Section {
  readonly root = sectionFrame('questions', 'Waiting for you');
  readonly #base: string | null;
  readonly #list = element('div', { class: 'questions' });
  readonly #cards = new Map<number, QuestionCard>();

  constructor(base: string | null) {
    this.#base = base;
    this.root.append(this.#list);
  }

  update({ questions, tools, reading }: PageModel): void {
    this.root.hidden = questions.length === 0;
    const open = new Set(questions.map(({ seq }) => seq));
    for (const [seq, card] of this.#cards) {
      if (open.has(seq)) continue;
      card.root.remove();
      this.#cards.delete(seq);
    }
    const timeout = reading.started.task.policy.approvalTimeoutSeconds;
    for (const question of questions) {
      if (this.#cards.has(question.seq)) continue;
      const expiresAtMs = timeout === undefined ? null : question.at + timeout * 1000;
      const card = new QuestionCard(question, tools.get(question.tool), this.#base, expiresAtMs);
      this.#cards.set(question.seq, card);
      this.#list.append(card.root);
    }
  }
}
