import { callsLeft } from './policy.mjs';
import { isDoubtful, listTodos } from './todo-rules.mjs';

/**
 * @typedef {import('./todo-rules.mjs').Hit} Hit
 * @typedef {import('./policy.mjs').Seen} Seen
 */

/** What every engine is asked. */
export const TODO_GOAL =
  'Find all TODO comments of the repository and classify each as bug, feature, refactor, test, docs, performance or security. Answer with one line for each: path:line kind.';

const SEARCH = { query: 'TODO', caseSensitive: true, maxMatches: 2000 };
const TRIAGE =
  'These lines hold the word TODO. List, as a JSON array of paths alone, the files that have to be read to tell whether they are comments and of which kind.';
const CLASSIFY = `${TODO_GOAL} Use these lines, and these files in the order of their paths.`;

/**
 * Step by step: search everywhere; where that is more than is shown, folder by folder; read what is in doubt; answer.
 * @type {import('./policy.mjs').Policy}
 */
export const todoPolicy = (_task, seen) => {
  const everywhere = { tool: 'search_files', args: SEARCH };
  if (callsLeft([everywhere], seen).length > 0) return step('I search for the word.', [everywhere]);
  const whole = hitsOf(seen.find((each) => each.isOk && each.tool === 'search_files'));
  const hits = whole ?? hitsByFolder(seen);
  if (!Array.isArray(hits)) return hits;
  const doubtful = [...new Set(hits.filter(isDoubtful).map(({ path }) => path))];
  const reads = doubtful.map((path) => ({ tool: 'read_file', args: { path } }));
  const unread = callsLeft(reads, seen);
  if (unread.length > 0) return step('The lines alone do not tell, so I read these files.', unread);
  const files = new Map(
    seen
      .filter(({ tool, isOk }) => tool === 'read_file' && isOk)
      .map(({ args, text }) => [String(args['path']), text]),
  );
  return { thought: 'I have seen all that I need.', answer: listTodos(hits, (path) => files.get(path)) };
};

/**
 * The hits of every folder at the root, or what has to be called to know them.
 * @param {readonly Seen[]} seen
 * @returns {Hit[] | import('./policy.mjs').Step}
 */
function hitsByFolder(seen) {
  const list = { tool: 'list_files', args: { path: '.' } };
  if (callsLeft([list], seen).length > 0)
    return step('That is more than I am shown, so I go by folder.', [list]);
  const listed = seen.find(({ tool, isOk }) => tool === 'list_files' && isOk);
  /** @type {{ entries: { path: string, kind: string }[] }} */
  const { entries } = JSON.parse(listed?.text ?? '{"entries":[]}');
  const searches = entries
    .filter(({ kind }) => kind === 'folder')
    .map(({ path }) => ({ tool: 'search_files', args: { ...SEARCH, path } }));
  // A file at the root is searched by its name, so that the folders are not searched again.
  const rest = entries
    .filter(({ kind }) => kind === 'file')
    .map(({ path }) => ({ tool: 'search_files', args: { ...SEARCH, glob: path } }));
  const calls = [...searches, ...rest];
  const left = callsLeft(calls, seen);
  if (left.length > 0) return step('I search every folder by itself.', left);
  return calls.flatMap(({ args }) => {
    const made = seen.find((each) => each.isOk && JSON.stringify(each.args) === JSON.stringify(args));
    const hits = hitsOf(made);
    if (hits === null) throw new Error(`the hits of ${JSON.stringify(args)} are more than is shown`);
    return hits;
  });
}

/**
 * The hits of a search; null where not all of them are shown.
 * @param {Seen | undefined} made
 * @returns {Hit[] | null}
 */
function hitsOf(made) {
  try {
    const { matches, truncated } = JSON.parse(made?.text ?? '');
    return truncated === true ? null : matches;
  } catch {
    return null;
  }
}

/**
 * @param {string} thought
 * @param {import('./policy.mjs').PlannedCall[]} calls
 */
function step(thought, calls) {
  return { thought, calls };
}

/**
 * The planner, and the model behind the tool `llm` of its plan. The hits never pass through a planner: they go from node
 * to node, so nothing has to be done by folder.
 * @type {import('./metered-provider.mjs').Rules}
 */
export const todoPlanRules = (request) => {
  if (request.role === 'planner') return { text: JSON.stringify(PLAN) };
  if (request.role !== 'worker') throw new Error(`no rule for the role ${request.role}`);
  const [head = '', matches = '[]', paths = '[]', files = '[]'] = String(
    request.messages.at(-1)?.content,
  ).split('\n');
  /** @type {Hit[]} */
  const hits = JSON.parse(matches);
  if (head === TRIAGE) {
    return { text: JSON.stringify([...new Set(hits.filter(isDoubtful).map(({ path }) => path))]) };
  }
  /** @type {string[]} */
  const read = JSON.parse(paths);
  /** @type {string[]} */
  const texts = JSON.parse(files);
  return { text: listTodos(hits, (path) => texts[read.indexOf(path)]) };
};

const HITS = { $ref: 'hits', path: '/matches' };

const PLAN = {
  nodes: [
    { id: 'hits', tool: 'search_files', args: SEARCH },
    { id: 'triage', tool: 'llm', args: { prompt: { $text: [`${TRIAGE}\n`, HITS] } } },
    { id: 'paths', tool: 'extract', args: { source: { $ref: 'triage' }, by: 'pointer', query: '' } },
    {
      id: 'files',
      tool: 'read_file',
      foreach: { $ref: 'paths', path: '/first' },
      args: { path: { $item: '' } },
    },
    {
      id: 'todos',
      tool: 'llm',
      args: {
        prompt: { $text: [`${CLASSIFY}\n`, HITS, '\n', { $ref: 'triage' }, '\n', { $ref: 'files' }] },
      },
    },
  ],
  output: 'todos',
};
