import { cleanText } from '../../../src/tools/mcp/clean-text.ts';

/** Longest name of a file, with room for a character that is not to be cut. */
const MAX_NAME_BYTES = 240;

/** A text as the name of a file: as folders in each other where it is too long for one, with another slash for its own. */
export function filePathOf(text: string): string {
  const names: string[] = [];
  let name = '';
  for (const letter of Buffer.from(text.replaceAll('/', '\u2215').replaceAll('\0', '')).toString()) {
    if (Buffer.byteLength(name + letter) > MAX_NAME_BYTES) {
      names.push(name);
      name = '';
    }
    name += letter;
  }
  return [...names, /^\.{1,2}$/.test(name) ? `${name}_` : name].join('/');
}

const known = new Map<string, readonly string[]>();

/** The forms in which a text may be read by whoever is asked: as it is, as a name, without what is not seen, and as JSON. */
export function formsOf(text: string): readonly string[] {
  let forms = known.get(text);
  if (forms === undefined) {
    forms = [text, filePathOf(text), cleanText(text).trim()].filter((form) => form !== '').flatMap(escapesOf);
    known.set(text, forms);
  }
  return forms;
}

function escapesOf(text: string): readonly string[] {
  const json = JSON.stringify(text).slice(1, -1);
  return [text, json, json.replaceAll('<', '\\u003c')];
}
