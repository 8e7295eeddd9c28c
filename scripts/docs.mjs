// `npm run docs` writes what is generated: docs/reference/, the generated parts of other pages, and the output of the
// commands that pages show. `npm run docs:check` fails where any of it is stale, or where a link leads nowhere.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';
import { buildIfStale } from './build.mjs';
import { refreshBlocks } from './docs/blocks.mjs';
import { renderCliPage } from './docs/cli-page.mjs';
import { renderErrorsPage } from './docs/errors-page.mjs';
import { renderEventsPage } from './docs/events-page.mjs';
import { renderExitCodesPage } from './docs/exit-codes-page.mjs';
import { linkProblems } from './docs/links.mjs';
import { renderPlanProblemsPage } from './docs/plan-problems-page.mjs';
import { refreshSession } from './docs/session.mjs';
import { renderTaskFilePage } from './docs/task-file-page.mjs';

const root = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');
const isChecking = process.argv.includes('--check');

/** @type {Record<string, (root: string) => string | Promise<string>>} */
const GENERATED = {
  'docs/reference/task-file.md': renderTaskFilePage,
  'docs/reference/events.md': renderEventsPage,
  'docs/reference/errors.md': renderErrorsPage,
  'docs/reference/exit-codes.md': renderExitCodesPage,
  'docs/reference/plan-problems.md': renderPlanProblemsPage,
  'docs/reference/cli.md': renderCliPage,
};

try {
  await buildIfStale();
  process.exitCode = (await refreshAll()) ? 0 : 1;
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}

/** True where nothing is left to be said. */
async function refreshAll() {
  const problems = [];
  /** @type {Map<string, string>} */
  const pages = new Map();
  const paths = [...new Set([...Object.keys(GENERATED), ...listPages()])].sort();
  const pending = [...paths];
  const work = async () => {
    for (let path = pending.shift(); path !== undefined; path = pending.shift()) {
      const before = existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : '';
      const after = await renderPage(path, before);
      pages.set(path, after);
      if (after === before) continue;
      if (isChecking)
        problems.push(`${path}:${String(firstDifference(before, after))}: stale; run \`npm run docs\``);
      else {
        writeFileSync(join(root, path), after);
        console.log(`wrote ${path}`);
      }
    }
  };
  await Promise.all([work(), work()]);
  problems.push(...linkProblems(pages, (path) => existsSync(join(root, path))));
  for (const problem of problems.sort()) console.error(problem);
  console.log(
    problems.length === 0
      ? `${String(pages.size)} pages are up to date`
      : `${String(problems.length)} problem(s)`,
  );
  return problems.length === 0;
}

/**
 * @param {string} path
 * @param {string} before
 */
async function renderPage(path, before) {
  const render = GENERATED[path];
  try {
    const text =
      render === undefined ? await refreshSession(refreshBlocks(before, root), root) : await render(root);
    const options = await resolveConfig(join(root, path));
    return await format(text, { ...options, filepath: path });
  } catch (error) {
    throw new Error(`${path}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}

function listPages() {
  const folders = ['docs', 'examples'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`),
  );
  return ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', ...folders].filter(
    (path) => path.endsWith('.md') && !path.includes('node_modules') && existsSync(join(root, path)),
  );
}

/**
 * @param {string} before
 * @param {string} after
 */
function firstDifference(before, after) {
  const [was, is] = [before.split('\n'), after.split('\n')];
  const index = is.findIndex((line, position) => line !== was[position]);
  return (index < 0 ? is.length : index) + 1;
}
