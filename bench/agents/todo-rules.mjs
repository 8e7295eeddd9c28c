/**
 * What a model knows that finds TODO comments: what a hit of the word must look like to be one, when the line alone does
 * not tell, and what kind it is. It knows the hits and the files that it was shown, nothing of how they were made.
 *
 * @typedef {import('./todo-repository.mjs').TodoKind} TodoKind
 * @typedef {{ path: string, line: number, text: string }} Hit
 */

/** A comment that begins with the word, alone on its line, in any of the languages at hand. */
const COMMENT = /^\s*(?:\/\/|#|--|\/\*|<!--)\s*TODO(?:\([^)]*\))?:\s*(.*?)\s*(?:\*\/|-->)?\s*$/;
const COMMENT_BODY = /^\s*(?:\/\/|#|--|\/\*|<!--)\s*(.*?)\s*(?:\*\/|-->)?\s*$/;
const TEXT_MARK = /`|"""/g;

/** The first that fits counts.
 * @type {readonly (readonly [TodoKind, RegExp])[]} */
const KINDS = [
  ['security', /sanitize|escape|password|abused/],
  ['performance', /cache|speed|slow/],
  ['test', /\btest\b/],
  ['docs', /document|describe|explain/],
  ['refactor', /split|rename|move/],
  ['bug', /fix|crash|wrong/],
  ['feature', /support|add|allow/],
];

/**
 * Whether the file must be read to judge a hit: its text goes on below, or the file holds texts of other programs.
 * @param {Hit} hit
 */
export function isDoubtful({ path, text }) {
  const [, body] = COMMENT.exec(text) ?? [];
  return body !== undefined && (body === '' || path.includes('/templates/'));
}

/**
 * Kind of a TODO comment; null for what is none.
 * @param {Hit} hit
 * @param {string} [file] needed where the hit is doubtful
 * @returns {TodoKind | null}
 */
export function judgeHit(hit, file) {
  const [, body] = COMMENT.exec(hit.text) ?? [];
  if (body === undefined) return null;
  if (!isDoubtful(hit)) return classify(body);
  if (file === undefined) throw new Error(`${hit.path} was not read`);
  const lines = file.split('\n');
  const before = lines.slice(0, hit.line - 1).join('\n');
  // An odd number of marks before it: it stands inside of a text.
  if ((before.match(TEXT_MARK)?.length ?? 0) % 2 === 1) return null;
  return classify(body === '' ? (COMMENT_BODY.exec(lines[hit.line] ?? '')?.[1] ?? '') : body);
}

/** @param {string} text */
function classify(text) {
  return KINDS.find(([, pattern]) => pattern.test(text))?.[0] ?? null;
}

/**
 * The answer: a line a comment, `path:line kind`.
 * @param {readonly Hit[]} hits
 * @param {(path: string) => string | undefined} fileAt
 */
export function listTodos(hits, fileAt) {
  return hits
    .flatMap((hit) => {
      const kind = judgeHit(hit, fileAt(hit.path));
      return kind === null ? [] : [`${hit.path}:${hit.line} ${kind}`];
    })
    .join('\n');
}
