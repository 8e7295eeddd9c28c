import { cutToWidth, textWidth } from '../../views/text-width.ts';

/** The lines of a text that are full at a width, and the rest of it; a line is broken at its last space where it has one. */
export function wrapText(
  text: string,
  columns: number,
): { readonly full: readonly string[]; readonly rest: string } {
  const parts = text.split('\n');
  const full: string[] = [];
  let rest = '';
  for (const [index, part] of parts.entries()) {
    rest = part;
    while (textWidth(rest) > columns) {
      const fitting = cutToWidth(rest, columns, '').replace(/…$/, '');
      const space = fitting.lastIndexOf(' ');
      const end = space > 0 ? space : Math.max(1, fitting.length);
      full.push(rest.slice(0, end));
      rest = rest.slice(space > 0 ? end + 1 : end);
    }
    if (index < parts.length - 1) full.push(rest);
  }
  return { full, rest };
}
