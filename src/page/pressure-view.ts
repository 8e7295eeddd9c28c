import type { Amounts } from '../budget/ledger.ts';
import { formatCost, formatCount, formatDuration } from '../views/format-amounts.ts';
import type { PageModel } from '../views/page/page-model.ts';
import type { BudgetDecision, PressureCurve } from '../views/page/pressure-curve.ts';
import { placeOf, type RunClock } from '../views/page/run-clock.ts';
import { button, element, shape, table } from './element.ts';
import { type Section, sectionFrame } from './section.ts';
import type { Selection } from './selection.ts';

const DIMENSIONS: Readonly<
  Record<keyof Amounts, readonly [title: string, format: (value: number) => string]>
> = {
  tokens: ['tokens', formatCount],
  llmCalls: ['model calls', formatCount],
  toolCalls: ['tool calls', formatCount],
  wallMs: ['time', formatDuration],
  costMicroUsd: ['cost', formatCost],
};

const SIZE = { height: 240, left: 44, right: 96, top: 14, bottom: 22 };
const MOST_DECISIONS = 200;
const MOST_MARKS = 40;

/** The pressure of the budget over the time of the run, its thresholds, and what was decided because of it. */
export class PressureView implements Section {
  readonly root = sectionFrame('budget', 'Budget');
  readonly #selection: Selection;
  readonly #chart = element('div', { class: 'chart' });
  readonly #body = element('div', { class: 'columns' });
  #model: PageModel | null = null;

  constructor(selection: Selection) {
    this.#selection = selection;
    this.root.append(this.#chart, this.#body);
    new ResizeObserver(() => this.#draw()).observe(this.#chart);
  }

  update(model: PageModel): void {
    this.#model = model;
    const { pressure } = model;
    this.#body.replaceChildren(usedTable(model), this.#decisions(pressure.decisions));
    this.#chart.hidden = pressure.dimensions.length === 0;
    this.#draw();
  }

  #decisions(decisions: readonly BudgetDecision[]): HTMLElement {
    if (decisions.length === 0) return element('p', { class: 'note' }, 'The budget forced no decision.');
    const items = decisions.slice(0, MOST_DECISIONS).map((decision) =>
      element(
        'li',
        {},
        button(`#${decision.seq}`, { class: 'link', title: 'Show the event' }, () =>
          this.#selection.choose({ kind: 'event', id: String(decision.seq) }),
        ),
        ` ${decision.text}`,
      ),
    );
    const more = decisions.length - items.length;
    return element(
      'div',
      {},
      element('h3', {}, 'Decisions'),
      element('ol', { class: 'decisions' }, ...items),
      more > 0 ? element('p', { class: 'note' }, `and ${formatCount(more)} more`) : null,
    );
  }

  #draw(): void {
    const model = this.#model;
    const width = this.#chart.clientWidth;
    if (model === null || width < 100 || this.#chart.hidden) return;
    this.#chart.replaceChildren(drawChart(model.pressure, model.clock, width));
  }
}

function drawChart(curve: PressureCurve, clock: RunClock, width: number): SVGSVGElement {
  const highest = curve.points.reduce((most, { shares }) => Math.max(most, ...shares), 0);
  const top = Math.max(1.08, Math.min(2, highest * 1.05));
  const right = width - SIZE.right;
  const bottom = SIZE.height - SIZE.bottom;
  const x = (ms: number): number => SIZE.left + placeOf(clock, ms) * (right - SIZE.left);
  const y = (share: number): number => bottom - (Math.min(share, top) / top) * (bottom - SIZE.top);
  const band = (from: number, to: number, kind: string): SVGElement =>
    shape('rect', {
      class: `band ${kind}`,
      x: SIZE.left,
      y: y(to),
      width: right - SIZE.left,
      height: y(from) - y(to),
    });
  const threshold = (at: number, name: string): SVGElement[] => [
    shape('line', { class: 'threshold', x1: SIZE.left, x2: right, y1: y(at), y2: y(at) }),
    shape(
      'text',
      { class: 'axis-text', x: SIZE.left - 6, y: y(at) + 4, 'text-anchor': 'end' },
      `${Math.round(at * 100)} %`,
    ),
    shape('text', { class: 'threshold-name', x: SIZE.left + 6, y: y(at) - 5 }, name),
  ];
  const pauses = clock.spans.flatMap(({ kind, fromMs, toMs }) =>
    kind === 'work'
      ? []
      : [
          shape('rect', {
            ...{ class: `pause ${kind}`, x: x(fromMs), y: SIZE.top },
            ...{ width: Math.max(0, x(toMs) - x(fromMs)), height: bottom - SIZE.top },
          }),
        ],
  );
  const summary = curve.dimensions
    .map(
      (name, index) =>
        `${DIMENSIONS[name][0]} ${Math.round((curve.points.at(-1)?.shares[index] ?? 0) * 100)} %`,
    )
    .join(', ');
  return shape(
    'svg',
    { width, height: SIZE.height, role: 'img', 'aria-label': `Pressure over time; at the end: ${summary}` },
    band(curve.economyAt, curve.minimalAt, 'economy'),
    band(curve.minimalAt, 1, 'minimal'),
    band(1, top, 'stopped'),
    ...pauses,
    shape('text', { class: 'axis-text', x: SIZE.left - 6, y: bottom + 4, 'text-anchor': 'end' }, '0 %'),
    shape('line', { class: 'base', x1: SIZE.left, x2: right, y1: bottom, y2: bottom }),
    ...threshold(curve.economyAt, 'economy'),
    ...threshold(curve.minimalAt, 'minimal'),
    ...threshold(1, 'stopped'),
    ...drawLines(curve, x, y, right),
    ...curve.decisions
      .map((decision, index) => ({ ...decision, number: index + 1 }))
      .filter(({ mode }) => mode !== null)
      .slice(0, MOST_MARKS)
      .map((decision) =>
        shape(
          'g',
          { class: 'decision' },
          shape('title', {}, decision.text),
          shape('line', { x1: x(decision.ms), x2: x(decision.ms), y1: SIZE.top, y2: bottom }),
          shape('circle', { cx: x(decision.ms), cy: y(decision.pressure), r: 8 }),
          shape(
            'text',
            { x: x(decision.ms), y: y(decision.pressure) + 3.5, 'text-anchor': 'middle' },
            String(decision.number),
          ),
        ),
      ),
    shape('text', { class: 'axis-text', x: SIZE.left, y: SIZE.height - 4 }, '0'),
    shape(
      'text',
      { class: 'axis-text', x: right, y: SIZE.height - 4, 'text-anchor': 'end' },
      formatDuration(clock.workMs),
    ),
  );
}

function drawLines(
  { dimensions, points }: PressureCurve,
  x: (ms: number) => number,
  y: (share: number) => number,
  right: number,
): SVGElement[] {
  const names = dimensions
    .map((name, index) => ({ name, index, at: y(points.at(-1)?.shares[index] ?? 0) }))
    .sort((a, b) => a.at - b.at);
  // Names at the ends of the lines must not lie on each other.
  const placed: { index: number; name: keyof Amounts; at: number }[] = [];
  for (const one of names)
    placed.push({ ...one, at: Math.max(one.at, (placed.at(-1)?.at ?? -Infinity) + 14) });
  const over = Math.max(0, (placed.at(-1)?.at ?? 0) - (SIZE.height - SIZE.bottom + 4));
  return [
    ...dimensions.map((name, index) => {
      let path = '';
      for (const { ms, shares } of points) {
        const [atX, atY] = [x(ms).toFixed(1), y(shares[index] ?? 0).toFixed(1)];
        path += path === '' ? `M${atX},${atY}` : `H${atX}V${atY}`;
      }
      return shape('path', { class: `line of-${name}`, d: `${path}H${right}` });
    }),
    ...placed.map(({ name, at }) =>
      shape('text', { class: `line-name of-${name}`, x: right + 8, y: at - over + 4 }, DIMENSIONS[name][0]),
    ),
  ];
}

function usedTable({ reading, summary }: PageModel): HTMLElement {
  const { settled, limits } = reading.ledger;
  const { economyAt, minimalAt } = reading.started.task.budget;
  const rows = (Object.keys(DIMENSIONS) as (keyof Amounts)[]).map((amount) => {
    const [title, format] = DIMENSIONS[amount];
    const limit = limits[amount];
    const share = limit === Infinity ? null : limit === 0 ? 1 : settled[amount] / limit;
    const isUnknown = amount === 'costMicroUsd' && summary.costMicroUsd === null;
    const fill = element('span', {
      class: `gauge-fill ${(share ?? 0) >= minimalAt ? 'high' : (share ?? 0) >= economyAt ? 'middle' : 'low'}`,
    });
    fill.style.width = `${Math.min(100, (share ?? 0) * 100)}%`;
    return [
      element('span', { class: `key of-${amount}` }, title),
      isUnknown ? 'unknown' : format(settled[amount]),
      limit === Infinity ? 'no limit' : format(limit),
      share === null ? '' : element('span', { class: 'gauge' }, fill),
      share === null ? '' : `${Math.floor(share * 100)} %`,
    ];
  });
  const titles = [['Dimension'], ['Used', 'num'], ['Limit', 'num'], ['', 'gauge-cell'], ['', 'num']] as const;
  return element(
    'div',
    {},
    element('h3', {}, 'Used'),
    table('What was used of each dimension of the budget', titles, rows),
  );
}
