// Builds dist/: the library (tsc), the run page, the command (one esbuild bundle) and its pre-rendered help.
// With --if-stale it does nothing while dist/ was built from the present sources.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { buildPage } from './build-page.mjs';
import { bundleAliases, jitiFolder, lightenCompiler } from './bundle-aliases.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');
const stampFile = join(dist, '.sources');

/** Loaded only when used, from node_modules. Whatever is not listed here is bundled. */
const LAZY_PACKAGES = [
  '@opentelemetry/*',
  'better-sqlite3',
  '@xenova/transformers',
  '@huggingface/transformers',
  '@modelcontextprotocol/*',
  'openai',
  '@anthropic-ai/sdk',
];

/** The run that fills the code caches. */
const TRAINING_TASK = join(root, 'examples', 'city-compare', 'city-compare.yaml');

/** Builds dist/ anew; it appears whole or not at all. */
export async function build() {
  const sources = hashSources();
  const staging = join(root, 'node_modules', '.cache', `sortie-build-${String(process.pid)}`);
  rmSync(staging, { recursive: true, force: true });
  mkdirSync(staging, { recursive: true });
  try {
    buildLibrary(staging);
    await buildPage(staging);
    await buildCommand(staging);
    writeFileSync(join(staging, '.sources'), sources);
    rmSync(dist, { recursive: true, force: true });
    renameSync(staging, dist);
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

/** Builds dist/ unless it was built from the present sources. */
export async function buildIfStale() {
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === hashSources()) return;
  await build();
}

/** @param {string} outDir */
function buildLibrary(outDir) {
  const tsc = join(root, 'node_modules', 'typescript-7', 'bin', 'tsc');
  execFileSync(process.execPath, [tsc, '-p', 'tsconfig.build.json', '--outDir', outDir], {
    cwd: root,
    stdio: 'inherit',
  });
}

/** @param {string} outDir */
async function buildCommand(outDir) {
  const { build: bundle } = await import('esbuild');
  const mainFile = join(outDir, 'cli-main.cjs');
  await bundle({
    absWorkingDir: root,
    entryPoints: ['src/cli/main.ts'],
    outfile: mainFile,
    bundle: true,
    platform: 'node',
    target: 'node20.19',
    format: 'cjs',
    external: LAZY_PACKAGES,
    // Reading the file takes its share of a start. Names stay, for the stack traces of our own mistakes.
    minifyWhitespace: true,
    lineLimit: 120,
    plugins: [bundleAliases],
    // A script with a code cache cannot import; `require` starts sooner, too.
    supported: { 'dynamic-import': false },
    // A CommonJS bundle has no import.meta.
    define: { 'import.meta.url': 'importMetaUrl', 'import.meta.dirname': '__dirname' },
    banner: { js: 'const importMetaUrl = require("node:url").pathToFileURL(__filename).href;' },
    logLevel: 'warning',
  });
  writeFileSync(mainFile, toAscii(readFileSync(mainFile, 'utf8')));
  copyFileSync(join(root, 'scripts', 'launcher.cjs'), join(outDir, 'cli.cjs'));
  chmodSync(join(outDir, 'cli.cjs'), 0o755);
  copyFileSync(join(root, 'scripts', 'load-cached.cjs'), join(outDir, 'load-cached.cjs'));
  const compiler = readFileSync(join(jitiFolder, 'dist', 'babel.cjs'), 'utf8');
  writeFileSync(join(outDir, 'jiti-babel.cjs'), lightenCompiler(compiler));
  for (const name of ['help', 'version']) {
    const env = { ...process.env, LC_ALL: 'C', NO_COLOR: '1', COLUMNS: '100' };
    writeFileSync(
      join(outDir, `${name}.txt`),
      execFileSync(process.execPath, [mainFile, `--${name}`], { cwd: root, env }),
    );
  }
  makeCodeCaches(outDir);
}

/**
 * A script without letters beyond ASCII, which is read and compiled in half the room. What esbuild leaves of them stands
 * in regular expressions and in the raw strings that some are made of; there the escapes mean the same.
 * @param {string} source
 */
function toAscii(source) {
  return source.replaceAll(
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** @param {string} outDir */
function makeCodeCaches(outDir) {
  // Flags of Node would spoil the caches, and settings of the developer's the run that fills them.
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(?:NODE_OPTIONS$|ORCHESTRATE_|OTEL_)/.test(name)),
  );
  const script = join(root, 'scripts', 'make-code-cache.cjs');
  execFileSync(process.execPath, [script, outDir, TRAINING_TASK], { cwd: root, env, stdio: 'ignore' });
}

function hashSources() {
  const hash = createHash('sha256').update(process.version);
  const folders = ['src', 'scripts'].flatMap((folder) => listFiles(folder));
  for (const file of [
    ...folders,
    'package.json',
    'package-lock.json',
    'tsconfig.json',
    'tsconfig.build.json',
  ]) {
    hash.update(`\0${file}\0`).update(readFileSync(join(root, file)));
  }
  return hash.digest('hex');
}

/**
 * @param {string} folder
 * @returns {string[]}
 */
function listFiles(folder) {
  return readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length))
    .sort();
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  try {
    await (process.argv.includes('--if-stale') ? buildIfStale() : build());
  } catch (error) {
    // The compiler has already said what is wrong.
    console.error(`Build failed: ${error instanceof Error ? error.message : String(error)}`);
    process.exitCode = 1;
  }
}
