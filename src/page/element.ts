/* How the page makes elements. Texts become text nodes: nothing that a run holds is ever read as markup. */

type Child = Node | string | null;
type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

const SVG = 'http://www.w3.org/2000/svg';

/** An element with attributes and children; false and undefined leave an attribute out. */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  fill(made, attributes, children);
  return made;
}

/** An element of an SVG with attributes and children. */
export function shape<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: readonly Child[]
): SVGElementTagNameMap[K] {
  const made = document.createElementNS(SVG, tag);
  fill(made, attributes, children);
  return made;
}

function fill(target: Element, attributes: Attributes, children: readonly Child[]): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    target.setAttribute(name, value === true ? '' : String(value));
  }
  for (const child of children) if (child !== null) target.append(child);
}

/** A button that does something. */
export function button(label: string, attributes: Attributes, act: () => void): HTMLButtonElement {
  const made = element('button', { type: 'button', ...attributes }, label);
  made.addEventListener('click', act);
  return made;
}

/** A table with a row of titles; the classes of its columns say how they are set. */
export function table(
  caption: string,
  titles: readonly (readonly [title: string, kind?: string])[],
  rows: readonly (readonly Child[])[],
): HTMLTableElement {
  const head = titles.map(([title, kind]) => element('th', { scope: 'col', class: kind }, title));
  const body = rows.map((cells) =>
    element('tr', {}, ...cells.map((cell, index) => element('td', { class: titles[index]?.[1] }, cell))),
  );
  return element(
    'table',
    {},
    element('caption', { class: 'unseen' }, caption),
    element('thead', {}, element('tr', {}, ...head)),
    element('tbody', {}, ...body),
  );
}
