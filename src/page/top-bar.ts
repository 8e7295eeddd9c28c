import { element } from './element.ts';
import { themeButton } from './theme-button.ts';

/** The bar at the top: the parts of the page, the way back to the list, how the page stands, and the theme. */
export function topBar(
  parts: readonly (readonly [id: string, title: string])[],
  list: string | null,
  state: HTMLElement,
): HTMLElement {
  const links = parts.map(([id, title]) => {
    const link = element('a', { href: `#${id}` }, title);
    link.addEventListener('click', (event) => {
      // The address tells what is chosen, not where the page stands.
      event.preventDefault();
      document.getElementById(id)?.scrollIntoView({ behavior: 'smooth' });
    });
    return link;
  });
  return element(
    'header',
    { class: 'top' },
    element('span', { class: 'brand' }, 'Sortie'),
    element(
      'nav',
      { 'aria-label': 'Parts of the page' },
      ...(list === null ? [] : [element('a', { href: list, class: 'back' }, '← All runs')]),
      ...links,
    ),
    state,
    themeButton(),
  );
}
