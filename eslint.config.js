import { createNodeResolver, importX } from 'eslint-plugin-import-x';
import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';
import { PURE_FILES, sortiePlugin } from './scripts/lint-rules.mjs';

const TS_FILES = ['**/*.ts'];

const NO_EXPORT_ALL = { selector: 'ExportAllDeclaration', message: 'Export by name.' };

/** What would make the pure zone depend on time, chance, the machine or the order of promises. */
const IMPURE_SYNTAX = [
  { selector: ':function[async=true]', message: 'The pure zone has no async functions.' },
  { selector: 'AwaitExpression', message: 'The pure zone does not wait.' },
  { selector: 'ForOfStatement[await=true]', message: 'The pure zone does not wait.' },
  { selector: 'ImportExpression', message: 'The pure zone loads nothing at run time.' },
  { selector: 'MetaProperty[meta.name="import"]', message: 'The pure zone does not know where it lies.' },
  { selector: 'NewExpression[callee.name="Promise"]', message: 'The pure zone makes no promises.' },
  { selector: 'MemberExpression[object.name="Promise"]', message: 'The pure zone makes no promises.' },
];

const IMPURE_GLOBALS = [
  ...[
    'Date',
    'performance',
    'process',
    'fetch',
    'WebSocket',
    'crypto',
    'console',
    'globalThis',
    'global',
    'require',
  ],
  ...['setTimeout', 'setInterval', 'setImmediate', 'clearTimeout', 'clearInterval', 'clearImmediate'],
  ...['queueMicrotask', 'Worker', 'MessageChannel', 'Atomics', 'WeakRef', 'FinalizationRegistry'],
].map((name) => ({ name, message: 'The pure zone takes it as an argument or does without.' }));

/**
 * The lint rules for a tree laid out like this repository.
 * @param {string} root absolute path of the tree
 */
export const createConfig = (root) =>
  defineConfig(
    { ignores: ['dist/', 'coverage/', '**/fixtures/', '**/node_modules/', '.orchestrate/'] },
    { linterOptions: { reportUnusedDisableDirectives: 'error' } },
    tseslint.configs.strictTypeChecked,
    {
      languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: root } },
      plugins: { 'import-x': /** @type {any} */ (importX), sortie: sortiePlugin },
      settings: {
        'import-x/extensions': ['.ts'],
        'import-x/parsers': { '@typescript-eslint/parser': ['.ts'] },
        'import-x/resolver-next': [createNodeResolver({ extensions: ['.ts', '.js'] })],
      },
      rules: {
        eqeqeq: 'error',
        'id-denylist': ['error', 'utils', 'util', 'helpers', 'msg', 'opts', 'e'],
        'max-lines': ['error', { max: 300, skipBlankLines: true, skipComments: true }],
        'no-restricted-syntax': ['error', NO_EXPORT_ALL],
        'prefer-const': 'error',
        'sortie/file-name': ['error', { root }],
        '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
        '@typescript-eslint/no-floating-promises': 'error',
        '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
        '@typescript-eslint/switch-exhaustiveness-check': [
          'error',
          { allowDefaultCaseForExhaustiveSwitch: false, considerDefaultExhaustiveForUnions: false },
        ],
      },
    },
    {
      files: TS_FILES,
      rules: { 'import-x/no-cycle': 'error', 'import-x/no-self-import': 'error' },
    },
    {
      files: ['src/**/*.ts'],
      rules: { 'sortie/import-table': ['error', { root }] },
    },
    {
      files: PURE_FILES,
      rules: {
        'no-restricted-globals': ['error', ...IMPURE_GLOBALS],
        'no-restricted-properties': [
          'error',
          { object: 'Math', property: 'random', message: 'Chance is an input.' },
        ],
        'no-restricted-syntax': ['error', NO_EXPORT_ALL, ...IMPURE_SYNTAX],
      },
    },
    {
      files: ['examples/**/*.ts', 'bench/**/*.ts'],
      rules: {
        'no-restricted-imports': [
          'error',
          { patterns: [{ regex: '/src/cli/', message: 'Nobody imports cli.' }] },
        ],
      },
    },
    {
      files: ['test/**/*.ts'],
      rules: { '@typescript-eslint/no-non-null-assertion': 'off' },
    },
    {
      files: ['**/*.{js,mjs,cjs}'],
      extends: [tseslint.configs.disableTypeChecked],
      rules: { '@typescript-eslint/no-require-imports': 'off', 'no-undef': 'off' },
    },
  );

export default createConfig(import.meta.dirname);
