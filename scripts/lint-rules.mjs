// The architecture as ESLint rules: who may import whom, what the pure zone may use, how files are named.
// The table's twin for people is in CONTRIBUTING.md.
import { dirname, join, relative, sep } from 'node:path';

const ANYTHING_BUT_CLI = 'anything but cli';
const ADAPTER = ['kernel', 'contracts'];
const ROLE = ['kernel', 'contracts', 'dag'];
const READING = ['kernel', 'contracts', 'flight', 'dag', 'budget', 'run'];

/**
 * For each folder (or top-level file) of src/ the others that it may import.
 * @type {Record<string, string[] | typeof ANYTHING_BUT_CLI>}
 */
export const IMPORT_TABLE = {
  kernel: [],
  contracts: ['kernel'],
  flight: ADAPTER,
  dag: ADAPTER,
  providers: ADAPTER,
  tools: ADAPTER,
  memory: ADAPTER,
  config: ADAPTER,
  budget: ['kernel', 'contracts', 'flight'],
  planner: ROLE,
  worker: ROLE,
  critic: ROLE,
  agent: ROLE,
  run: ['kernel', 'contracts', 'flight', 'dag', 'budget', 'planner', 'worker', 'critic', 'agent'],
  engine: ['kernel', 'contracts', 'flight', 'run'],
  tracer: READING,
  views: READING,
  page: ['kernel', 'contracts', 'flight', 'budget', 'views'],
  web: ['kernel', 'contracts', 'flight', 'views'],
  authoring: ANYTHING_BUT_CLI,
  compose: ANYTHING_BUT_CLI,
  index: ANYTHING_BUT_CLI,
  testing: ANYTHING_BUT_CLI,
  cli: ['kernel', 'index', 'compose', 'config', 'views', 'web'],
};

/** Prefixes of the paths under src/ that do no I/O and know no time. */
const PURE_PREFIXES = [
  ...['kernel/', 'contracts/', 'dag/', 'budget/', 'planner/', 'worker/', 'critic/', 'agent/', 'run/'],
  ...['flight/events', 'flight/codec', 'tracer/span', 'tracer/semconv'],
];

/** The pure zone as globs for ESLint's `files`. */
export const PURE_FILES = PURE_PREFIXES.flatMap((prefix) =>
  prefix.endsWith('/') ? [`src/${prefix}**/*.ts`] : [`src/${prefix}*.ts`, `src/${prefix}*/**/*.ts`],
);

const PURE_PACKAGES = /^(zod|graphology|graphology-dag|graphology-types|jsonrepair)(\/|$)/;

/** @type {(path: string) => string} */
const folderOf = (path) => (path.split('/')[0] ?? '').replace(/\.ts$/, '');

/** @type {(path: string) => boolean} */
const isPure = (path) => PURE_PREFIXES.some((prefix) => path.startsWith(prefix));

/** @type {(path: string) => string} */
const withSlashes = (path) => path.split(sep).join('/');

/**
 * Why a file may not import a module, both paths relative to src/; undefined if it may.
 * @param {string} from
 * @param {string} to
 * @param {boolean} isTypeOnly
 */
function importProblem(from, to, isTypeOnly) {
  if (to.startsWith('../')) return `Source must not import ${to.slice(3)}, which is not part of it.`;
  const [folder, target] = [folderOf(from), folderOf(to)];
  const row = Object.hasOwn(IMPORT_TABLE, folder) ? IMPORT_TABLE[folder] : undefined;
  if (row === undefined) return `${folder} is not in the import table (scripts/lint-rules.mjs).`;
  const isAllowed = target === folder || (row === ANYTHING_BUT_CLI ? target !== 'cli' : row.includes(target));
  if (!isAllowed)
    return `${folder} may not import ${target}; it may import ${[row].flat().join(', ') || 'nothing'}.`;
  if (isPure(from) && !isPure(to) && !isTypeOnly)
    return `${from} is pure but ${to} is not: import only its types.`;
  return undefined;
}

/**
 * Why a pure file may not import a package; undefined if it may.
 * @param {string} from
 * @param {string} name
 */
function packageProblem(from, name) {
  if (name === 'sortie' || name.startsWith('sortie/')) return 'Source imports itself by relative path.';
  if (!isPure(from) || PURE_PACKAGES.test(name)) return undefined;
  if (name === 'node:crypto' && from.startsWith('kernel/hash')) return undefined;
  return `The pure zone may not import ${name}.`;
}

/** @type {import('eslint').Rule.RuleModule} */
const importTable = {
  meta: { type: 'problem', schema: [{ type: 'object', properties: { root: { type: 'string' } } }] },
  create(context) {
    const src = join(context.options[0].root, 'src');
    const from = withSlashes(relative(src, context.filename));
    /** @param {import('eslint').Rule.Node} node */
    const check = (node) => {
      const { source, importKind, exportKind } = /** @type {any} */ (node);
      if (typeof source?.value !== 'string') return;
      /** @type {string} */
      const name = source.value;
      const problem = name.startsWith('.')
        ? importProblem(
            from,
            withSlashes(relative(src, join(dirname(context.filename), name))),
            importKind === 'type' || exportKind === 'type',
          )
        : packageProblem(from, name);
      if (problem !== undefined) context.report({ node: source, message: problem });
    };
    return {
      ImportDeclaration: check,
      ExportNamedDeclaration: check,
      ExportAllDeclaration: check,
      ImportExpression: check,
      TSImportType: (/** @type {any} */ node) => {
        check({ ...node, importKind: 'type' });
      },
    };
  },
};

/** @type {import('eslint').Rule.RuleModule} */
const fileName = {
  meta: { type: 'problem', schema: [{ type: 'object', properties: { root: { type: 'string' } } }] },
  create(context) {
    const path = withSlashes(relative(context.options[0].root, context.filename));
    const parts = path.replace(/(\.(test|config|d|bench))?\.[cm]?[jt]s$/, '').split('/');
    const problem = parts.some((part) => !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(part))
      ? 'is not kebab-case'
      : parts.some((part) => /^(utils?|helpers?)$/.test(part))
        ? 'says nothing: name a file after its main export'
        : parts.at(-1) === 'index' && path !== 'src/index.ts'
          ? 'is a barrel: only src/index.ts may be one'
          : undefined;
    return problem === undefined
      ? {}
      : {
          Program(node) {
            context.report({ node, loc: { line: 1, column: 0 }, message: `${path} ${problem}.` });
          },
        };
  },
};

/** The plugin that ESLint loads as `sortie`. */
export const sortiePlugin = { rules: { 'import-table': importTable, 'file-name': fileName } };
