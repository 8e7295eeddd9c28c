import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createRandom } from '../random.mjs';

/**
 * A made repository with TODO comments of several kinds, and with what only looks like one: the word in strings, in
 * names, in prose, in Spanish, and whole comments inside of texts that a program writes.
 *
 * @typedef {'bug' | 'feature' | 'refactor' | 'test' | 'docs' | 'performance' | 'security'} TodoKind
 * @typedef {{ path: string, line: number, kind: TodoKind }} Todo
 * @typedef {{ files: Map<string, string>, todos: Todo[], decoys: number }} TodoRepository
 */

/** @type {Readonly<Record<TodoKind, readonly string[]>>} */
const TEXTS = {
  bug: [
    'fix the rounding of negative amounts',
    'this crashes on an empty list',
    'wrong result after midnight',
  ],
  feature: ['support more than one currency', 'add an export as CSV', 'allow several owners'],
  refactor: [
    'split this function in two',
    'rename after the migration',
    'move this into a module of its own',
  ],
  test: ['cover the error path with a test', 'test this with an empty file', 'add a regression test'],
  docs: ['document the units', 'describe the format in the manual', 'explain why this order matters'],
  performance: ['cache the parsed file', 'speed up the lookup', 'avoid the quadratic loop, it is slow'],
  security: ['sanitize the path', 'escape the name, it can be abused', 'do not log the password'],
};

/**
 * How each language writes a comment, and what else its files are made of.
 * @typedef {{ comment(text: string): string, code(name: string): string, text?: readonly [string, string] }} Language
 * @type {Readonly<Record<string, Language>>}
 */
const LANGUAGES = {
  ts: {
    comment: (text) => `// ${text}`,
    code: (name) => `export const ${name} = (input: string) => input.trim();`,
    text: ['const sample = `', '`;'],
  },
  go: { comment: (text) => `// ${text}`, code: (name) => `func ${name}(in string) string { return in }` },
  py: {
    comment: (text) => `# ${text}`,
    code: (name) => `def ${name}(value): return value`,
    text: ['SAMPLE = """', '"""'],
  },
  sh: { comment: (text) => `# ${text}`, code: (name) => `${name}() { echo "$1"; }` },
  sql: { comment: (text) => `-- ${text}`, code: (name) => `select ${name} from entries;` },
  css: { comment: (text) => `/* ${text} */`, code: (name) => `.${name} { margin: 0; }` },
  html: { comment: (text) => `<!-- ${text} -->`, code: (name) => `<p class="${name}">Nothing to see.</p>` },
};

const FOLDERS = ['app', 'cmd', 'lib', 'scripts', 'store', 'web'];
const WORDS = [
  'order',
  'invoice',
  'session',
  'report',
  'upload',
  'filter',
  'index',
  'queue',
  'ledger',
  'token',
];
const OWNERS = ['ada', 'ben', 'chen', 'dora'];

/** What only looks like a TODO comment, by a language that it stands in.
 * @type {readonly ((language: Language) => string)[]} */
const DECOYS = [
  () => 'label = "TODO: nothing here"',
  () => 'LIMIT_OF_TODO_ITEMS = 20',
  () => 'print("No TODO left")',
  ({ comment }) => comment('TODOS los pedidos se guardan aquí'),
  ({ comment }) => comment('Opens the list of the TODO app'),
];

/**
 * A repository of about so many files, the same for the same seed.
 * @param {number} seed
 * @param {number} count
 * @returns {TodoRepository}
 */
export function createTodoRepository(seed, count) {
  const random = createRandom(seed);
  /** @type {Map<string, string>} */
  const files = new Map();
  /** @type {Todo[]} */
  const todos = [];
  let decoys = 0;
  const extensions = Object.keys(LANGUAGES);
  for (let index = 0; index < count; index += 1) {
    const extension = extensions[index % extensions.length] ?? 'ts';
    const language = LANGUAGES[extension];
    if (language === undefined) continue;
    const isTemplate = index % 23 < 2 && language.text !== undefined;
    const folder = `${FOLDERS[index % FOLDERS.length] ?? ''}/${isTemplate ? 'templates' : pick(random, WORDS)}`;
    const path = `${folder}/${pick(random, WORDS)}-${index}.${extension}`;
    const file = writeFileText(random, { language, isTemplate });
    files.set(path, `${file.lines.join('\n')}\n`);
    todos.push(...file.todos.map((todo) => ({ path, ...todo })));
    decoys += file.decoys;
  }
  files.set('README.md', '# Shop\n\nThe TODO list of this project is kept in its comments.\n');
  return { files, todos, decoys: decoys + 1 };
}

/**
 * The repository as files below a folder.
 * @param {string} folder
 * @param {TodoRepository} repository
 */
export async function writeTodoRepository(folder, { files }) {
  for (const [path, text] of files) {
    const target = join(folder, path);
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, text);
  }
}

/**
 * @param {() => number} random
 * @param {{ language: Language, isTemplate: boolean }} kind
 */
function writeFileText(random, { language, isTemplate }) {
  /** @type {string[]} */
  const lines = [];
  /** @type {Omit<Todo, 'path'>[]} */
  const todos = [];
  let decoys = 0;
  /** @param {string} [indent] */
  const addTodo = (indent = '') => {
    const kind = pick(random, /** @type {TodoKind[]} */ (Object.keys(TEXTS)));
    const text = pick(random, TEXTS[kind]);
    const mark = random() < 0.3 ? `TODO(${pick(random, OWNERS)}):` : 'TODO:';
    todos.push({ line: lines.length + 1, kind });
    // One in eight says on its next line what there is to do.
    if (random() < 0.125) lines.push(indent + language.comment(mark), indent + language.comment(`  ${text}`));
    else lines.push(indent + language.comment(`${mark} ${text}`));
  };
  const length = 20 + Math.floor(random() * 60);
  while (lines.length < length) {
    lines.push(language.code(`${pick(random, WORDS)}_${lines.length}`));
    const draw = random();
    if (draw < 0.01) addTodo(random() < 0.5 ? '  ' : '');
    else if (draw < 0.015) {
      lines.push(pick(random, DECOYS)(language));
      decoys += 1;
    } else if (draw < 0.1) lines.push(language.comment(`Keeps the ${pick(random, WORDS)} in order.`));
  }
  if (isTemplate && language.text !== undefined) {
    const [open, close] = language.text;
    lines.push(open, language.comment(`TODO: ${pick(random, TEXTS.bug)}`), close);
    decoys += 1;
    addTodo();
  }
  return { lines, todos, decoys };
}

/**
 * @template T
 * @param {() => number} random
 * @param {readonly T[]} values
 */
function pick(random, values) {
  return /** @type {T} */ (values[Math.floor(random() * values.length)]);
}
