import type { PageModel } from '../views/page/page-model.ts';
import { element } from './element.ts';

/** A part of the page that shows one side of a run. */
export interface Section {
  readonly root: HTMLElement;
  /** Shows the run as it is now. */
  update(model: PageModel): void;
}

/** The frame of a section: its title with what belongs beside it, and room for what it shows. */
export function sectionFrame(id: string, title: string, ...beside: readonly Node[]): HTMLElement {
  return element(
    'section',
    { id, class: 'card', 'aria-labelledby': `${id}-title` },
    element(
      'div',
      { class: 'card-head' },
      element('h2', { id: `${id}-title` }, title),
      element('div', { class: 'card-tools' }, ...beside),
    ),
  );
}
