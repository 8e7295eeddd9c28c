import { SHOWN_STATES, type ShownState, STATE_SIGNS, type StateCounts } from '../views/page/shown-state.ts';
import { formatCount } from '../views/format-amounts.ts';
import { element } from './element.ts';

/** The sign of a state in its colour. */
export function stateSign(state: ShownState): HTMLElement {
  return element('span', { class: `sign is-${state}`, 'aria-hidden': 'true' }, STATE_SIGNS[state]);
}

/** A state as a word with its sign. */
export function stateChip(state: ShownState): HTMLElement {
  return element('span', { class: `chip is-${state}` }, stateSign(state), state);
}

/** How many there are of each state, as a bar in parts and in words. */
export function stateBar(counts: StateCounts): HTMLElement {
  const present = SHOWN_STATES.filter((state) => (counts[state] ?? 0) > 0);
  const bar = element('div', { class: 'state-bar', 'aria-hidden': 'true' });
  for (const state of present) {
    const part = element('span', { class: `part is-${state}` });
    part.style.flexGrow = String(counts[state] ?? 0);
    bar.append(part);
  }
  const words = present.map((state) =>
    element('span', { class: 'count' }, stateSign(state), `${formatCount(counts[state] ?? 0)} ${state}`),
  );
  return element('div', { class: 'states' }, bar, element('div', { class: 'state-words' }, ...words));
}
