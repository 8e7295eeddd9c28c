const WIDE =
  /[\u1100-\u115f\u231a\u231b\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1f64f}\u{1f680}-\u{1f6ff}\u{1f900}-\u{1faff}\u{20000}-\u{3fffd}]/u;
const ZERO = /[\p{Mn}\p{Me}\p{Cf}]/u;
const PLAIN = /^[\x20-\x7e]*$/;
const STEERING = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]+/gu;

/** A text on one line, without the characters that would steer a terminal or turn its direction. */
export function toOneLine(text: string): string {
  return PLAIN.test(text) ? text : text.replace(STEERING, ' ').trim();
}

/** Columns that a text without colours takes on a terminal. */
export function textWidth(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += characterWidth(character);
  return width;
}

/** A text cut to so many columns, with an ellipsis (one column wide) where something is missing. */
export function cutToWidth(text: string, columns: number, ellipsis = '…'): string {
  if (textWidth(text) <= columns) return text;
  if (columns < 1) return '';
  let width = 0;
  let result = '';
  for (const character of text) {
    width += characterWidth(character);
    if (width > columns - 1) break;
    result += character;
  }
  return result + ellipsis;
}

/** A text filled up with spaces to so many columns; longer ones stay as they are. */
export function padToWidth(text: string, columns: number, align: 'left' | 'right' = 'left'): string {
  const fill = ' '.repeat(Math.max(0, columns - textWidth(text)));
  return align === 'left' ? text + fill : fill + text;
}

function characterWidth(character: string): number {
  if (ZERO.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}
