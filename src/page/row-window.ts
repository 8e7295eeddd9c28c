/*
 * A list of rows of one height of which only those are made that can be seen, however many there are. It is one stop
 * of the Tab key: arrows move among its rows, Enter chooses one.
 */
import { element } from './element.ts';

interface RowWindowOptions {
  readonly label: string;
  readonly rowHeight: number;
  /** Height of the list in rows at most; further ones are scrolled to. */
  readonly mostRows: number;
  /** Makes the row at an index; its place and role are set by the list. */
  readonly makeRow: (index: number) => HTMLElement;
  readonly choose: (index: number) => void;
  /** Left and right arrow; answers whether it was of use. */
  readonly fold?: (index: number, isOpen: boolean) => void;
}

const AROUND = 8;
let lists = 0;

/** See above. */
export class RowWindow {
  readonly root: HTMLElement;
  readonly #options: RowWindowOptions;
  readonly #rows: HTMLElement;
  readonly #id = `list${++lists}`;
  #count = 0;
  #active = 0;
  #made = new Map<number, HTMLElement>();
  #isDue = false;

  constructor(options: RowWindowOptions) {
    this.#options = options;
    this.#rows = element('div', { class: 'rows', role: 'presentation' });
    this.root = element(
      'div',
      { class: 'row-window', role: 'listbox', tabindex: 0, 'aria-label': options.label },
      this.#rows,
    );
    this.root.addEventListener('scroll', () => this.#drawSoon(), { passive: true });
    this.root.addEventListener('keydown', (event) => this.#onKey(event));
    this.root.addEventListener('click', (event) => this.#onClick(event));
    new ResizeObserver(() => this.#drawSoon()).observe(this.root);
  }

  /** Makes the rows anew; `count` of them. */
  update(count: number): void {
    this.#count = count;
    this.#active = Math.min(this.#active, Math.max(0, count - 1));
    const { rowHeight, mostRows } = this.#options;
    this.#rows.style.height = `${count * rowHeight}px`;
    this.root.style.height = `${Math.min(count, mostRows) * rowHeight + 2}px`;
    for (const row of this.#made.values()) row.remove();
    this.#made.clear();
    this.#draw();
  }

  /** Brings a row into view. */
  reveal(index: number): void {
    const { rowHeight } = this.#options;
    const top = index * rowHeight;
    const { scrollTop, clientHeight } = this.root;
    if (top < scrollTop) this.root.scrollTop = top;
    else if (top + rowHeight > scrollTop + clientHeight) this.root.scrollTop = top + rowHeight - clientHeight;
    this.#active = index;
    this.#drawSoon();
  }

  #drawSoon(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    requestAnimationFrame(() => {
      this.#isDue = false;
      this.#draw();
    });
  }

  #draw(): void {
    const { rowHeight, mostRows } = this.#options;
    const height = this.root.clientHeight || mostRows * rowHeight;
    const first = Math.max(0, Math.floor(this.root.scrollTop / rowHeight) - AROUND);
    const last = Math.min(this.#count, Math.ceil((this.root.scrollTop + height) / rowHeight) + AROUND);
    for (const [index, row] of this.#made) {
      if (index >= first && index < last) continue;
      row.remove();
      this.#made.delete(index);
    }
    for (let index = first; index < last; index++) {
      if (!this.#made.has(index)) this.#made.set(index, this.#place(index));
    }
    for (const [index, row] of this.#made) row.classList.toggle('active', index === this.#active);
    if (this.#made.has(this.#active)) {
      this.root.setAttribute('aria-activedescendant', `${this.#id}-${this.#active}`);
    } else this.root.removeAttribute('aria-activedescendant');
  }

  #place(index: number): HTMLElement {
    const row = this.#options.makeRow(index);
    row.classList.add('row');
    row.id = `${this.#id}-${index}`;
    row.setAttribute('role', 'option');
    row.setAttribute('aria-setsize', String(this.#count));
    row.setAttribute('aria-posinset', String(index + 1));
    row.dataset['index'] = String(index);
    row.style.top = `${index * this.#options.rowHeight}px`;
    row.style.height = `${this.#options.rowHeight}px`;
    this.#rows.append(row);
    return row;
  }

  #onClick(event: MouseEvent): void {
    const target = event.target as Element;
    const row = target.closest<HTMLElement>('.row');
    if (row === null) return;
    const index = Number(row.dataset['index']);
    this.#active = index;
    if (target.closest('.fold') !== null)
      this.#options.fold?.(index, row.getAttribute('aria-expanded') !== 'true');
    else this.#options.choose(index);
    this.#drawSoon();
  }

  #onKey(event: KeyboardEvent): void {
    const page = Math.max(1, Math.floor(this.root.clientHeight / this.#options.rowHeight) - 1);
    const steps: Readonly<Record<string, number>> = {
      ...{ ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -this.#count, End: this.#count },
    };
    const step = steps[event.key];
    if (step !== undefined) {
      this.reveal(Math.min(this.#count - 1, Math.max(0, this.#active + step)));
    } else if (event.key === 'Enter' || event.key === ' ') this.#options.choose(this.#active);
    else if (event.key === 'ArrowRight' || event.key === 'ArrowLeft') {
      this.#options.fold?.(this.#active, event.key === 'ArrowRight');
    } else return;
    event.preventDefault();
  }
}
