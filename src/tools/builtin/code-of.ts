/** The code of an answer that may stand in a fence, with or without words around it. */
export function codeOf(answer: string): string {
  const text = answer.trim();
  const fence = /^(`{3,}|~{3,})[^\n]*\n/m.exec(text);
  if (fence === null) return text;
  const mark = fence[1] ?? '```';
  const from = fence.index + fence[0].length;
  const end = text.indexOf(`\n${mark}`, from - 1);
  return end < 0 ? text.slice(from) : text.slice(from, end);
}
