import { formatCost, formatCount, formatDuration } from '../views/format-amounts.ts';
import type { PageModel } from '../views/page/page-model.ts';
import type { StepLatency } from '../views/page/step-latency.ts';
import type { UsageTotal } from '../views/summary.ts';
import { element, shape, table } from './element.ts';
import { type Section, sectionFrame } from './section.ts';

/** How long the calls of each step took, and what the models used by role and by model. */
export class TablesView implements Section {
  readonly root = element('div', { class: 'columns even' });
  readonly #steps = sectionFrame('steps', 'Latency per step');
  readonly #usage = sectionFrame('usage', 'Tokens and cost');
  readonly #stepsBody = element('div', { class: 'scroll' });
  readonly #usageBody = element('div', { class: 'scroll' });

  constructor() {
    this.#steps.append(this.#stepsBody);
    this.#usage.append(this.#usageBody);
    this.root.append(this.#steps, this.#usage);
  }

  update({ steps, summary }: PageModel): void {
    this.#steps.hidden = steps.length === 0;
    this.#usage.hidden = summary.usageByRole.length === 0;
    this.root.hidden = this.#steps.hidden && this.#usage.hidden;
    this.#stepsBody.replaceChildren(stepsTable(steps));
    this.#usageBody.replaceChildren(
      usageTable('Role', summary.usageByRole),
      usageTable('Model', summary.usageByModel),
    );
  }
}

const RANGE = { width: 120, height: 16 };

function stepsTable(steps: readonly StepLatency[]): HTMLElement {
  const longest = steps.reduce((most, { maxMs }) => Math.max(most, maxMs), 0);
  const titles = [
    ...([
      ['Step'],
      ['Calls', 'num'],
      ['Median', 'num'],
      ['95 %', 'num'],
      ['Max', 'num'],
      ['Total', 'num'],
    ] as const),
    ['From least to most', 'range-cell'] as const,
  ];
  const rows = steps.map((step) => [
    element(
      'span',
      { class: 'step' },
      element(
        'span',
        { class: `sign ${step.kind === 'model' ? 'is-call' : 'mark'}` },
        step.kind === 'model' ? '✦' : '⚙',
      ),
      step.name,
    ),
    step.failed === 0
      ? formatCount(step.calls)
      : `${formatCount(step.calls)} (${formatCount(step.failed)} failed)`,
    ...[step.medianMs, step.p95Ms, step.maxMs, step.totalMs].map(formatDuration),
    drawRange(step, longest),
  ]);
  return table('Latency of each tool and of each role of models', titles, rows);
}

function drawRange({ minMs, medianMs, p95Ms, maxMs }: StepLatency, longest: number): SVGSVGElement {
  const x = (ms: number): number => 3 + (longest === 0 ? 0 : (ms / longest) * (RANGE.width - 6));
  const middle = RANGE.height / 2;
  return shape(
    'svg',
    { ...RANGE, class: 'range', 'aria-hidden': 'true' },
    shape('line', {
      class: 'whole',
      x1: x(minMs),
      x2: Math.max(x(minMs) + 1, x(maxMs)),
      y1: middle,
      y2: middle,
    }),
    shape('line', {
      class: 'most',
      x1: x(minMs),
      x2: Math.max(x(minMs) + 1, x(p95Ms)),
      y1: middle,
      y2: middle,
    }),
    shape('circle', { cx: x(medianMs), cy: middle, r: 4 }),
  );
}

function usageTable(kind: string, totals: readonly UsageTotal[]): HTMLElement {
  const most = totals.reduce((sum, one) => Math.max(sum, one.inputTokens + one.outputTokens), 0);
  const rows = totals.map(({ name, calls, inputTokens, outputTokens, costMicroUsd }) => {
    const bar = element('span', { class: 'stack', 'aria-hidden': 'true' });
    for (const [part, tokens] of [
      ['in', inputTokens],
      ['out', outputTokens],
    ] as const) {
      const piece = element('span', { class: part });
      piece.style.width = `${most === 0 ? 0 : (tokens / most) * 100}%`;
      bar.append(piece);
    }
    return [
      name === '' ? '(default)' : name,
      formatCount(calls),
      formatCount(inputTokens),
      formatCount(outputTokens),
      costMicroUsd === null ? 'unknown' : formatCost(costMicroUsd),
      bar,
    ];
  });
  const titles = [
    ...([[kind], ['Calls', 'num'], ['Tokens in', 'num'], ['out', 'num'], ['Cost', 'num']] as const),
    ['', 'range-cell'] as const,
  ];
  return table(`Usage by ${kind.toLowerCase()}`, titles, rows);
}
