import { arrangePlan, type Arrangement } from '../views/page/arrange-plan.ts';
import {
  CELL_SIZE,
  cellPlace,
  type GraphLayout,
  layoutGraph,
  type PlacedBox,
} from '../views/page/layout-graph.ts';
import type { PageModel } from '../views/page/page-model.ts';
import type { PlanCard } from '../views/page/plan-graph.ts';
import { SHOWN_STATES, STATE_SIGNS } from '../views/page/shown-state.ts';
import { button, element, shape } from './element.ts';
import { drawBox, drawCell, labelOfCard } from './graph-boxes.ts';
import { GraphCamera, READABLE_SCALE } from './graph-camera.ts';
import { type Section, sectionFrame } from './section.ts';
import type { Selection } from './selection.ts';

/** The plan as a graph that is moved and scaled; of a large one only what can be seen is drawn. */
export class GraphView implements Section {
  readonly root: HTMLElement;
  readonly #selection: Selection;
  readonly #camera: GraphCamera;
  readonly #note = element('p', { class: 'note' });
  readonly #told = element('div', { class: 'unseen', 'aria-live': 'polite' });
  readonly #open = new Set<string>();
  readonly #edges = shape('g', { class: 'edges' });
  readonly #boxes = shape('g', { class: 'boxes' });
  #model: PageModel | null = null;
  #arrangement: Arrangement = { boxes: [], edges: [], boxOf: new Map() };
  #layout: GraphLayout = { boxes: [], edges: [], width: 0, height: 0 };
  #cards = new Map<string, PlanCard>();
  #drawn = '';
  #isMoved = false;

  constructor(selection: Selection) {
    this.#selection = selection;
    const scene = shape('g', { class: 'scene' }, this.#edges, this.#boxes);
    const canvas = shape('svg', { class: 'canvas', 'aria-hidden': 'true' }, patterns(), scene);
    const frame = element(
      'div',
      { class: 'graph', tabindex: 0, role: 'application', 'aria-roledescription': 'graph' },
      canvas,
    );
    this.#camera = new GraphCamera(frame, canvas, scene, {
      onMove: () => this.#draw(),
      onTouch: () => (this.#isMoved = true),
      onWidth: () => this.#refit(),
    });
    frame.addEventListener('keydown', (event) => this.#onKey(event));
    frame.addEventListener('click', (event) => this.#onClick(event));
    const tools = [
      button('Lay all open', { class: 'quiet', id: 'graph-open' }, () => this.#openAll()),
      button('−', { class: 'quiet', 'aria-label': 'Smaller' }, () => this.#camera.zoom(1 / 1.3)),
      button('+', { class: 'quiet', 'aria-label': 'Larger' }, () => this.#camera.zoom(1.3)),
      button('Fit', { class: 'quiet' }, () => this.#fit()),
    ];
    this.root = sectionFrame('plan', 'Plan', ...tools);
    this.root.append(this.#note, frame, legend(), this.#told);
    selection.onChange(() => this.#onSelect());
  }

  update(model: PageModel): void {
    const isFirst = this.#model === null;
    const planChanged = this.#model?.reading.plan?.hash !== model.reading.plan?.hash;
    this.#model = model;
    const { cards, critical } = model.graph;
    this.#cards = new Map(cards.map((card) => [card.id, card]));
    this.root.hidden = cards.length === 0;
    const levels = cards.reduce((most, { level }) => Math.max(most, level + 1), 0);
    this.#note.textContent =
      `${cards.length} nodes in ${levels} levels; the ${critical.length} of the critical path have a thick frame and a ◆. ` +
      'Drag to move, Ctrl and wheel or + and − to scale, arrows to go from node to node.';
    this.#arrange();
    this.#camera.frame.setAttribute(
      'aria-label',
      `Plan with ${cards.length} nodes in ${levels} levels. Arrows go along its edges, Enter opens a node or a group.`,
    );
    if (isFirst || (planChanged && !this.#isMoved)) this.#fit();
    if (isFirst) this.#onSelect();
  }

  #arrange(): void {
    const cards = this.#model?.graph.cards ?? [];
    this.#arrangement = arrangePlan(cards, this.#open);
    this.#layout = layoutGraph(this.#arrangement);
    const hasGroups = this.#arrangement.boxes.some(({ kind, isOpen }) => kind === 'group' && !isOpen);
    const opener = this.root.querySelector<HTMLButtonElement>('#graph-open');
    if (opener !== null) {
      opener.hidden = !this.#arrangement.boxes.some(({ kind }) => kind === 'group');
      opener.textContent = hasGroups ? 'Lay all open' : 'Fold all';
    }
    this.#drawn = '';
    this.#draw();
  }

  #openAll(): void {
    const groups = this.#arrangement.boxes.filter(({ kind }) => kind === 'group');
    const isOpening = groups.some(({ isOpen }) => !isOpen);
    for (const { key } of groups) {
      if (isOpening) this.#open.add(key);
      else this.#open.delete(key);
    }
    this.#arrange();
    this.#fit();
  }

  #fit(): void {
    this.#isMoved = false;
    this.#camera.fit(this.#layout.width, this.#layout.height);
  }

  /** The frame became wider or narrower: whoever has not moved the graph still sees all of it. */
  #refit(): void {
    if (this.#isMoved) return;
    this.#fit();
    this.#reveal();
  }

  /** Draws what can be seen, if that is not what is drawn already. */
  #draw(): void {
    const { left, top, right, bottom, scale } = this.#camera.view();
    const isReadable = scale >= READABLE_SCALE;
    const seen = this.#layout.boxes.filter(
      ({ x, y, width, height }) => x < right && x + width > left && y < bottom && y + height > top,
    );
    const cells = seen.flatMap((placed) =>
      placed.box.isOpen ? this.#cellsIn(placed, { left, top, right, bottom }) : [],
    );
    const selected = this.#selection.current?.kind === 'node' ? this.#selection.current.id : '';
    const drawn = [
      ...[selected, String(isReadable), ...seen.map(({ box }) => box.key), '|'],
      ...cells.map(({ card }) => card.id),
    ].join('\n');
    if (drawn === this.#drawn) return;
    this.#drawn = drawn;
    const keys = new Set(seen.map(({ box }) => box.key));
    const chosen = this.#arrangement.boxOf.get(selected);
    this.#edges.replaceChildren(
      ...this.#layout.edges
        .filter(({ from, to }) => keys.size < 60 || keys.has(from) || keys.has(to))
        .sort((a, b) => Number(a.isCritical) - Number(b.isCritical))
        .map(({ from, to, path, isCritical, isOptional }) => {
          const isNear = chosen !== undefined && (from === chosen || to === chosen);
          const kinds = ['edge', isCritical && 'critical', isOptional && 'optional', isNear && 'near'];
          return shape('path', { class: kinds.filter(Boolean).join(' '), d: path });
        }),
    );
    this.#boxes.replaceChildren(
      ...seen.map((placed) => drawBox(placed, placed.box.cards[0]?.id === selected)),
      ...cells.map(({ card, x, y }) => drawCell(card, x, y, isReadable, card.id === selected)),
    );
  }

  #cellsIn(
    { box, x, y }: PlacedBox,
    view: { left: number; top: number; right: number; bottom: number },
  ): { card: PlanCard; x: number; y: number }[] {
    return box.cards.flatMap((card, index) => {
      const place = cellPlace(index, box.cards.length);
      const [left, top] = [x + place.x, y + place.y];
      const isSeen =
        left < view.right &&
        left + CELL_SIZE.width > view.left &&
        top < view.bottom &&
        top + CELL_SIZE.height > view.top;
      return isSeen ? [{ card, x: left, y: top }] : [];
    });
  }

  #onClick(event: MouseEvent): void {
    if (this.#camera.wasDragged) return;
    const target = (event.target as Element).closest<SVGGElement>('[data-node], [data-group]');
    if (target === null) return;
    const { node, group } = target.dataset;
    if (node !== undefined) this.#selection.choose({ kind: 'node', id: node });
    else if (group !== undefined) this.#toggle(group);
  }

  #toggle(key: string): void {
    if (!this.#open.delete(key)) this.#open.add(key);
    this.#arrange();
    const placed = this.#layout.boxes.find(({ box }) => box.key === key);
    if (placed !== undefined) this.#camera.show(placed);
  }

  #onSelect(): void {
    const { current } = this.#selection;
    const card = current?.kind === 'node' ? this.#cards.get(current.id) : undefined;
    this.#drawn = '';
    this.#draw();
    if (card === undefined) return;
    this.#told.textContent = labelOfCard(card);
    this.#reveal();
  }

  #reveal(): void {
    const { current } = this.#selection;
    const placed = current?.kind === 'node' ? this.#placeOf(current.id) : null;
    if (placed !== null) this.#camera.show(placed);
  }

  #placeOf(id: string): { x: number; y: number; width: number; height: number } | null {
    const placed = this.#layout.boxes.find(({ box }) => box.key === this.#arrangement.boxOf.get(id));
    if (placed === undefined || !placed.box.isOpen) return placed ?? null;
    const index = placed.box.cards.findIndex((card) => card.id === id);
    const { x, y } = cellPlace(index, placed.box.cards.length);
    return { x: placed.x + x, y: placed.y + y, width: CELL_SIZE.width, height: CELL_SIZE.height };
  }

  #onKey(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === '+') this.#camera.zoom(1.3);
    else if (event.key === '-') this.#camera.zoom(1 / 1.3);
    else if (event.key === '0') this.#fit();
    else if (event.key === 'Enter') this.#toggleSelected();
    else if (event.key.startsWith('Arrow')) this.#step(event.key.slice(5));
    else return;
    event.preventDefault();
  }

  #toggleSelected(): void {
    const { current } = this.#selection;
    const key = current?.kind === 'node' ? this.#arrangement.boxOf.get(current.id) : undefined;
    const box = this.#arrangement.boxes.find((known) => known.key === key);
    if (box?.kind === 'group') this.#toggle(box.key);
  }

  /** Along an edge, or up and down in the level. */
  #step(direction: string): void {
    const { current } = this.#selection;
    const card = current?.kind === 'node' ? this.#cards.get(current.id) : undefined;
    const next = card === undefined ? this.#model?.graph.cards[0] : this.#neighbour(card, direction);
    if (next !== undefined) this.#selection.choose({ kind: 'node', id: next.id });
  }

  #neighbour(card: PlanCard, direction: string): PlanCard | undefined {
    const cards = this.#model?.graph.cards ?? [];
    if (direction === 'Left') return this.#cards.get(card.deps.find((id) => this.#cards.has(id)) ?? '');
    if (direction === 'Right') return cards.find(({ deps }) => deps.includes(card.id));
    const order = new Map(
      this.#layout.boxes.flatMap(({ box, y }) =>
        box.cards.map(({ id }, index) => [id, y + index / 1e4] as const),
      ),
    );
    const level = cards
      .filter((other) => other.level === card.level)
      .sort((a, b) => (order.get(a.id) ?? 0) - (order.get(b.id) ?? 0));
    return level[level.indexOf(card) + (direction === 'Down' ? 1 : -1)];
  }
}

function patterns(): SVGDefsElement {
  const stroke = shape('path', { class: 'hatch', d: 'M-2,8 L8,-2 M2,12 L12,2' });
  const size = { width: 10, height: 10, patternUnits: 'userSpaceOnUse' };
  return shape('defs', {}, shape('pattern', { id: 'hatched', ...size }, stroke));
}

function legend(): HTMLElement {
  const states = SHOWN_STATES.map((state) =>
    element(
      'li',
      {},
      element('span', { class: `sign is-${state}`, 'aria-hidden': 'true' }, STATE_SIGNS[state]),
      state,
    ),
  );
  const marks: [string, string][] = [
    ['◆', 'critical path'],
    ['★', 'output'],
    ['?', 'optional'],
    ['⁝', 'for each item'],
  ];
  return element(
    'ul',
    { class: 'legend', 'aria-label': 'Signs' },
    ...states,
    ...marks.map(([sign, word]) => element('li', {}, element('span', { class: 'sign mark' }, sign), word)),
  );
}
