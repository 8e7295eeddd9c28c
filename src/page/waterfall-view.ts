import { formatDuration } from '../views/format-amounts.ts';
import type { PageModel } from '../views/page/page-model.ts';
import { axisMarks, placeOf, type RunClock } from '../views/page/run-clock.ts';
import { type Bar, BAR_WORDS, type WaterfallRow } from '../views/page/waterfall-rows.ts';
import { button, element } from './element.ts';
import { RowWindow } from './row-window.ts';
import { type Section, sectionFrame } from './section.ts';
import type { Selection } from './selection.ts';
import { stateSign } from './state-chip.ts';

const ROW_HEIGHT = 28;
const MOST_ROWS = 22;
/** Items and calls of more rows than this are folded at first. */
const ROOMY = 60;
const AXIS_MARKS = 8;

/** When each node, item, agent and call worked or waited, as bars over the time of the run. */
export class WaterfallView implements Section {
  readonly root: HTMLElement;
  readonly #selection: Selection;
  readonly #axis = element('div', { class: 'axis', 'aria-hidden': 'true' });
  readonly #behind = element('div', { class: 'behind-rows', 'aria-hidden': 'true' });
  readonly #list: RowWindow;
  readonly #touched = new Map<string, boolean>();
  #model: PageModel | null = null;
  #rows: readonly WaterfallRow[] = [];

  constructor(selection: Selection) {
    this.#selection = selection;
    this.#list = new RowWindow({
      label: 'Waterfall: nodes, items, agents and calls in the order of their starts',
      rowHeight: ROW_HEIGHT,
      mostRows: MOST_ROWS,
      makeRow: (index) => this.#makeRow(index),
      choose: (index) => this.#choose(index),
      fold: (index, isOpen) => this.#fold(index, isOpen),
    });
    this.root = sectionFrame(
      'waterfall',
      'Waterfall',
      button('Open all', { class: 'quiet' }, () => this.#foldAll(true)),
      button('Fold all', { class: 'quiet' }, () => this.#foldAll(false)),
    );
    this.root.append(
      legend(),
      element('div', { class: 'waterfall' }, this.#axis, this.#behind, this.#list.root),
    );
    selection.onChange(() => this.#show());
  }

  update(model: PageModel): void {
    this.#model = model;
    this.root.hidden = model.waterfall.rows.length === 0;
    this.#drawAxis(model.clock);
    this.#show();
  }

  #show(): void {
    const rows = this.#model?.waterfall.rows ?? [];
    const isRoomy = rows.length <= ROOMY;
    const shown: WaterfallRow[] = [];
    let foldedBelow = Infinity;
    for (const row of rows) {
      if (row.depth > foldedBelow) continue;
      foldedBelow = Infinity;
      shown.push(row);
      if (row.children > 0 && !this.#isOpen(row, isRoomy)) foldedBelow = row.depth;
    }
    this.#rows = shown;
    this.#list.update(shown.length);
  }

  #isOpen({ id }: WaterfallRow, isRoomy: boolean): boolean {
    return this.#touched.get(id) ?? isRoomy;
  }

  #fold(index: number, isOpen: boolean): void {
    const row = this.#rows[index];
    if (row === undefined || row.children === 0) return;
    this.#touched.set(row.id, isOpen);
    this.#show();
  }

  #foldAll(isOpen: boolean): void {
    for (const { id, children } of this.#model?.waterfall.rows ?? []) {
      if (children > 0) this.#touched.set(id, isOpen);
    }
    this.#show();
  }

  #choose(index: number): void {
    const row = this.#rows[index];
    if (row === undefined) return;
    if (row.node !== null) this.#selection.choose({ kind: 'node', id: row.node });
    else this.#selection.choose({ kind: 'call', id: keyOf(row) });
  }

  #makeRow(index: number): HTMLElement {
    const row = this.#rows[index];
    const clock = this.#model?.clock;
    if (row === undefined || clock === undefined) return element('div');
    const isRoomy = (this.#model?.waterfall.rows.length ?? 0) <= ROOMY;
    const isOpen = this.#isOpen(row, isRoomy);
    const { current } = this.#selection;
    const isChosen =
      current?.kind === 'node'
        ? row.node === current.id
        : current?.kind === 'call' && row.node === null && keyOf(row) === current.id;
    const name = element('span', { class: 'row-name', title: row.label }, row.label);
    const sign = row.kind === 'call' ? element('span', { class: 'sign is-call' }, '✦') : stateSign(row.state);
    const label = element(
      'div',
      { class: 'row-label' },
      element('span', { class: 'fold', 'aria-hidden': 'true' }, row.children === 0 ? '' : isOpen ? '▾' : '▸'),
      sign,
      name,
      element(
        'span',
        { class: 'row-what' },
        row.children > 0 && !isOpen ? `${row.what} (${row.children})` : row.what,
      ),
    );
    label.style.paddingLeft = `${row.depth * 18}px`;
    const track = element('div', { class: 'track' }, ...drawBars(row, clock));
    return element(
      'div',
      {
        class: `wf-row ${row.kind}${isChosen ? ' chosen' : ''}`,
        'aria-label': describeRow(row),
        'aria-selected': isChosen ? 'true' : 'false',
        'aria-expanded': row.children === 0 ? undefined : String(isOpen),
      },
      label,
      track,
      element('div', { class: 'row-time' }, describeLength(row, clock)),
    );
  }

  #drawAxis(clock: RunClock): void {
    const marks = axisMarks(clock, AXIS_MARKS);
    this.#axis.replaceChildren(
      element('div', { class: 'axis-track' }, ...drawPauses(clock, true), ...drawMarks(marks, true)),
    );
    this.#behind.replaceChildren(element('div', {}, ...drawPauses(clock, false), ...drawMarks(marks, false)));
  }
}

/** The key of the call or of the agent that a row shows. */
function keyOf({ id }: WaterfallRow): string {
  return id.replace(/^(?:call|agent) /, '');
}

function drawMarks(marks: ReturnType<typeof axisMarks>, isNamed: boolean): HTMLElement[] {
  return marks.map(({ workMs, place }) => {
    const mark = element(
      'span',
      { class: 'tick' },
      isNamed ? (workMs === 0 ? '0' : formatDuration(workMs)) : '',
    );
    mark.style.left = `${place * 100}%`;
    return mark;
  });
}

function drawPauses({ spans }: RunClock, isNamed: boolean): HTMLElement[] {
  return spans.flatMap(({ kind, fromMs, toMs, shownFrom, shownTo }) => {
    if (kind === 'work' || shownTo - shownFrom < 0.002) return [];
    const words = `${kind === 'wait' ? 'waited' : 'not running'} ${formatDuration(toMs - fromMs)}`;
    const pause = element('span', { class: `pause ${kind}`, title: words });
    pause.style.left = `${shownFrom * 100}%`;
    pause.style.width = `${(shownTo - shownFrom) * 100}%`;
    // The other pauses are told by their title: two names side by side would lie on each other.
    if (isNamed && kind === 'wait') pause.append(element('b', {}, words));
    return [pause];
  });
}

function drawBars({ bars, kind }: WaterfallRow, clock: RunClock): HTMLElement[] {
  const [first] = bars;
  if (first === undefined) return [];
  const drawn: HTMLElement[] = [];
  if (bars.length > 1) {
    const line = element('span', { class: 'between' });
    stretch(line, first.startMs, endOf(bars.at(-1) ?? first, clock), clock);
    drawn.push(line);
  }
  for (const bar of bars) {
    const made = element('span', { class: `bar ${bar.kind} of-${kind}`, title: describeBar(bar, clock) });
    stretch(made, bar.startMs, endOf(bar, clock), clock);
    drawn.push(made);
  }
  return drawn;
}

function stretch(target: HTMLElement, fromMs: number, toMs: number, clock: RunClock): void {
  const from = placeOf(clock, fromMs);
  target.style.left = `${from * 100}%`;
  target.style.width = `max(2px, ${(placeOf(clock, toMs) - from) * 100}%)`;
}

function endOf({ endMs }: Bar, clock: RunClock): number {
  return endMs ?? clock.endMs;
}

function describeBar(bar: Bar, clock: RunClock): string {
  const failure = bar.failure === null ? '' : `: ${bar.failure.message}`;
  return `${bar.label}, ${BAR_WORDS[bar.kind]}, ${formatDuration(endOf(bar, clock) - bar.startMs)}${failure}`;
}

function describeRow({ label, what, state, bars, note, kind, children }: WaterfallRow): string {
  const tries = bars.filter((bar) => bar.kind !== 'waiting' && bar.kind !== 'items').length;
  const words = { call: 'model call ', tool: 'tool call ', agent: 'agent ', node: '', item: '' };
  return [
    `${words[kind]}${label}`,
    what,
    state,
    `${tries} ${tries === 1 ? 'try' : 'tries'}`,
    ...(note === '' ? [] : [note]),
    ...(children === 0 ? [] : [`${children} rows below`]),
  ].join(', ');
}

function describeLength({ bars }: WaterfallRow, clock: RunClock): string {
  const worked = bars.filter(({ kind }) => kind !== 'waiting' && kind !== 'items');
  const counted = worked.length > 0 ? worked : bars;
  const sum = counted.reduce((total, bar) => total + endOf(bar, clock) - bar.startMs, 0);
  const tries = worked.length > 1 ? `${worked.length}× ` : '';
  return `${tries}${formatDuration(sum)}`;
}

function legend(): HTMLElement {
  const kinds: [Bar['kind'], string][] = [
    ['done', 'done'],
    ['running', 'under way'],
    ['again', 'failed, tried again'],
    ['failed', 'failed'],
    ['lost', 'lost or cancelled'],
    ['waiting', 'waiting for a person'],
  ];
  return element(
    'ul',
    { class: 'legend', 'aria-label': 'Bars' },
    ...kinds.map(([kind, word]) => element('li', {}, element('span', { class: `swatch bar ${kind}` }), word)),
    element('li', {}, element('span', { class: 'sign is-call' }, '✦'), 'model call'),
  );
}
