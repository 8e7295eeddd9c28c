// What a terminal shows, as a page of which a picture is taken.

const COLOURS = { 31: '#ff7b7b', 32: '#4ecb8b', 33: '#e6c04a', 36: '#5fc7d6' };
const ESCAPE = /\u001b\[(\d+)m/g;

/** @type {(text: string) => string} */
const escapeText = (text) => text.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`);

/**
 * A text with colours as a window of a terminal.
 *
 * @type {(title: string, text: string, columns: number) => string}
 */
export function renderTerminal(title, text, columns) {
  let [colour, isBold, isDim] = ['', false, false];
  let [body, from] = ['', 0];
  /** @type {(to: number) => void} */
  const add = (to) => {
    const piece = escapeText(text.slice(from, to));
    const style = [
      ...(colour === '' ? [] : [`color:${colour}`]),
      ...(isBold ? ['font-weight:700'] : []),
      ...(isDim ? ['opacity:.62'] : []),
    ].join(';');
    body += style === '' || piece === '' ? piece : `<span style="${style}">${piece}</span>`;
  };
  for (const match of text.matchAll(ESCAPE)) {
    add(match.index);
    from = match.index + match[0].length;
    const code = Number(match[1]);
    if (code === 1) isBold = true;
    else if (code === 2) isDim = true;
    else if (code === 22) [isBold, isDim] = [false, false];
    else colour = COLOURS[/** @type {keyof typeof COLOURS} */ (code)] ?? '';
  }
  add(text.length);
  return `<!doctype html><meta charset="utf-8"><title>${escapeText(title)}</title><style>
body { margin: 0; background: #0b0e14; }
main { display: inline-block; background: #11151d; color: #dbe1ee; }
header { padding: 9px 14px; background: #1b212d; color: #98a2b8; font: 12px system-ui, sans-serif; text-align: center; }
pre { margin: 0; padding: 14px 16px 16px; width: ${columns}ch; font: 14px/1.3 'DejaVu Sans Mono', monospace;
  white-space: break-spaces; word-break: break-all; }
</style><main><header>${escapeText(title)}</header><pre>${body}</pre></main>`;
}
