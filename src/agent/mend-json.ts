const LITERAL_OR_STRING =
  /"(?:[^"\\]|\\[^])*"|'(?:[^'\\\n]|\\[^])*'|(?<![\w.])(-?(?:NaN|Infinity)|None|undefined)(?!\w)/g;

/** The text with `NaN`, `Infinity`, `None` and `undefined` outside its strings as null: JSON has no other word for them. */
export function nullNonNumbers(text: string): string {
  return text.replaceAll(LITERAL_OR_STRING, (token, literal: string | undefined) =>
    literal === undefined ? token : 'null',
  );
}

const CLOSER_OF: Readonly<Record<string, string>> = { '{': '}', '[': ']' };

/**
 * The text from its first brace on with the brackets closed that were left open, at most so many; null where more than
 * those is missing: the end of a string, a value, a deeper bracket. Prose behind the last bracket is left out, data never.
 */
export function balanceBrackets(text: string, mostOpen: number): string | null {
  const start = text.search(/[{[]/);
  if (start < 0) return null;
  const body = text.slice(start).replace(/\s*```[^]*$/, '');
  const last = Math.max(body.lastIndexOf('}'), body.lastIndexOf(']'));
  const behind = body.slice(last + 1);
  const isProse = last >= 0 && !/["':,“”]/.test(behind);
  const document = isProse ? body.slice(0, last + 1) : body.trimEnd();
  const open = openBrackets(document);
  if (open === null || open.length > mostOpen || !/(?:["'}\]\d]|true|false|null)$/.test(document))
    return null;
  return document + open.toReversed().join('');
}

/** The closers that a document owes, innermost last; null where it ends in a string or closes what is not open. */
function openBrackets(document: string): readonly string[] | null {
  const open: string[] = [];
  let quote = '';
  for (let offset = 0; offset < document.length; offset++) {
    const char = document.charAt(offset);
    if (quote !== '') {
      if (char === '\\') offset++;
      else if (char === quote) quote = '';
    } else if (char === '"' || char === "'") quote = char;
    else if (char === '{' || char === '[') open.push(CLOSER_OF[char] ?? '');
    else if ((char === '}' || char === ']') && open.pop() !== char) return null;
  }
  return quote === '' ? open : null;
}
