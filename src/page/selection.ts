/** What of the run is looked at: a node, a model call of the run itself, or one event. */
export interface Selected {
  readonly kind: 'node' | 'call' | 'event';
  readonly id: string;
}

type Listener = (selected: Selected | null) => void;

/** The one choice of the page, which its address tells: a link leads to the same place. */
export class Selection {
  #current: Selected | null = readAddress();
  readonly #listeners: Listener[] = [];

  get current(): Selected | null {
    return this.#current;
  }

  onChange(listener: Listener): void {
    this.#listeners.push(listener);
  }

  /** Chooses something, or nothing. */
  choose(selected: Selected | null): void {
    this.#current = selected;
    const hash = selected === null ? '' : `#${selected.kind}/${encodeURIComponent(selected.id)}`;
    history.replaceState(null, '', hash === '' ? location.pathname + location.search : hash);
    for (const listener of this.#listeners) listener(selected);
  }

  isNode(id: string): boolean {
    return this.#current?.kind === 'node' && this.#current.id === id;
  }
}

function readAddress(): Selected | null {
  const [, kind, id] = /^#(node|call|event)\/(.+)$/.exec(location.hash) ?? [];
  if (kind === undefined || id === undefined) return null;
  try {
    return { kind: kind as Selected['kind'], id: decodeURIComponent(id) };
  } catch {
    return null;
  }
}
