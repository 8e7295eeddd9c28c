import type { Json } from '../kernel/json.ts';
import { formatCount } from '../views/format-amounts.ts';
import { visibleText } from '../views/page/visible-text.ts';
import { button, element } from './element.ts';

const SHOWN_LINES = 14;
const SHOWN_CHARACTERS = 1400;

/** A value as text: strings as they are, everything else as JSON. What is long is folded. */
export function valueView(label: string, value: Json): HTMLElement {
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  return textView(label, text);
}

/** A text that is folded where it is long. */
export function textView(label: string, whole: string): HTMLElement {
  const text = visibleText(whole);
  const brief = beginningOf(text);
  const shown = element('pre', { tabindex: 0, 'aria-label': label }, brief);
  const box = element('div', { class: 'value' }, shown);
  if (brief.length === text.length) return box;
  box.classList.add('folded');
  const more = button(`Show all ${formatCount(text.length)} characters`, { class: 'more' }, () => {
    const isFolded = box.classList.toggle('folded');
    shown.textContent = isFolded ? brief : text;
    more.textContent = isFolded ? `Show all ${formatCount(text.length)} characters` : 'Show less';
  });
  box.append(more);
  return box;
}

function beginningOf(text: string): string {
  let end = Math.min(text.length, SHOWN_CHARACTERS);
  for (let line = 0, at = 0; line < SHOWN_LINES; line++) {
    at = text.indexOf('\n', at) + 1;
    if (at === 0) break;
    if (line === SHOWN_LINES - 1) end = Math.min(end, at);
  }
  return text.slice(0, end);
}
