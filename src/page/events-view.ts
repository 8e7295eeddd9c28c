import type { FlightEvent } from '../flight/events.ts';
import { formatCount } from '../views/format-amounts.ts';
import { eventText, matchesEvent, searchableText } from '../views/page/event-text.ts';
import type { PageModel } from '../views/page/page-model.ts';
import { element } from './element.ts';
import { RowWindow } from './row-window.ts';
import { type Section, sectionFrame } from './section.ts';
import type { Selection } from './selection.ts';

const ROW_HEIGHT = 26;
const MOST_ROWS = 18;

/** Every event of the run, found by any word that stands anywhere in it. */
export class EventsView implements Section {
  readonly root: HTMLElement;
  readonly #selection: Selection;
  readonly #search = element('input', {
    ...{ type: 'search', placeholder: 'Search every event', 'aria-label': 'Search every event' },
    ...{ spellcheck: 'false', autocomplete: 'off' },
  });
  readonly #type = element('select', { 'aria-label': 'Type of event' });
  readonly #count = element('p', { class: 'note', 'aria-live': 'polite' });
  readonly #list: RowWindow;
  readonly #texts: string[] = [];
  #events: readonly FlightEvent[] = [];
  #found: readonly FlightEvent[] = [];
  #types = '';

  constructor(selection: Selection) {
    this.#selection = selection;
    this.#list = new RowWindow({
      label: 'Events',
      rowHeight: ROW_HEIGHT,
      mostRows: MOST_ROWS,
      makeRow: (index) => this.#makeRow(this.#found[index]),
      choose: (index) => {
        const event = this.#found[index];
        if (event !== undefined) selection.choose({ kind: 'event', id: String(event.seq) });
      },
    });
    this.root = sectionFrame('events', 'Events', this.#type, this.#search);
    this.root.append(this.#count, this.#list.root);
    this.#search.addEventListener('input', () => this.#find());
    this.#type.addEventListener('change', () => this.#find());
    selection.onChange(() => this.#list.update(this.#found.length));
  }

  update({ reading }: PageModel): void {
    if (reading.events.length === this.#events.length) return;
    this.#events = reading.events;
    this.#offerTypes();
    this.#find();
  }

  #offerTypes(): void {
    const types = [...new Set(this.#events.map(({ type }) => type))].sort();
    if (types.join() === this.#types) return;
    this.#types = types.join();
    const chosen = this.#type.value;
    this.#type.replaceChildren(
      element('option', { value: '' }, 'All types'),
      ...types.map((type) => element('option', { value: type, selected: type === chosen }, type)),
    );
  }

  #find(): void {
    const words = this.#search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const type = this.#type.value;
    this.#found = this.#events.filter(
      (event, index) =>
        (type === '' || event.type === type) &&
        (words.length === 0 || matchesEvent(this.#textAt(index), words)),
    );
    const [found, all] = [this.#found.length, this.#events.length].map(formatCount);
    this.#count.textContent =
      this.#found.length === this.#events.length ? `${all} events` : `${found} of ${all} events`;
    this.#list.update(this.#found.length);
  }

  /** Made when it is first searched: a page that nobody searches need not read every event. */
  #textAt(index: number): string {
    const event = this.#events[index];
    return (this.#texts[index] ??= event === undefined ? '' : searchableText(event));
  }

  #makeRow(event: FlightEvent | undefined): HTMLElement {
    if (event === undefined) return element('div');
    const { current } = this.#selection;
    const isChosen = current?.kind === 'event' && current.id === String(event.seq);
    const seconds = (event.at - (this.#events[0]?.at ?? event.at)) / 1000;
    return element(
      'div',
      { class: `ev-row${isChosen ? ' chosen' : ''}`, 'aria-selected': isChosen ? 'true' : 'false' },
      element('span', { class: 'ev-seq' }, String(event.seq)),
      element('span', { class: 'ev-time' }, `${seconds.toFixed(3)} s`),
      element('span', { class: `ev-type ${familyOf(event.type)}` }, event.type),
      element('span', { class: 'ev-text' }, eventText(event)),
    );
  }
}

function familyOf(type: string): string {
  if (/failed|rejected|refused|overrun|cancelled/.test(type)) return 'bad';
  return `of-${type.split('.')[0] ?? ''}`;
}
