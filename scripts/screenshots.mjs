// Takes the pictures of the run page and of the terminal that the documentation shows, in docs/images/:
// `node scripts/screenshots.mjs`, or with the beginning of a name for some of them.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { createJiti } from 'jiti';
import { chromium } from 'playwright-core';
import { bundlePage } from './build-page.mjs';
import { renderTerminal } from './terminal-page.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const images = join(root, 'docs', 'images');
const SIZE = { width: 1440, height: 900 };

const jiti = createJiti(import.meta.url, { fsCache: false });
/** @type {(path: string) => Promise<any>} */
const load = (path) => jiti.import(join(root, path));
const [{ smallShowcase }, { largeShowcase }, { renderRunPage }, { describeAssets }, { renderPage }] =
  await Promise.all([
    load('test/support/small-showcase.ts'),
    load('test/support/large-showcase.ts'),
    load('src/web/render-run-page.ts'),
    load('src/web/page-assets.ts'),
    load('src/views/page/render-page.ts'),
  ]);
const { describeRunEntry } = await load('src/views/page/run-entry.ts');
const { script, style } = await bundlePage();
const assets = describeAssets(script, style);
const folder = mkdtempSync(join(tmpdir(), 'sortie-screenshots-'));
mkdirSync(images, { recursive: true });

/** @type {(name: string, html: string) => string} */
const writePage = (name, html) => {
  const file = join(folder, `${name}.html`);
  writeFileSync(file, html);
  return pathToFileURL(file).href;
};
/** @type {(name: string, events: readonly any[], live?: object | null) => string} */
const runPage = (name, events, live = null) =>
  writePage(name, renderRunPage({ events, redacted: 0, program: '0.1.0', isLeft: false, live }, assets));

const small = smallShowcase();
const large = largeShowcase(2000);
const asked = small.slice(
  0,
  small.findIndex((/** @type {any} */ { type }) => type === 'approval.requested') + 1,
);
const entries = [small, large, asked].map((events) => describeRunEntry(events, false));
entries[2].runId = '20261130-064112-530-w2ha';
const list = {
  kind: 'list',
  program: '0.1.0',
  folder: '.orchestrate/runs',
  runs: entries,
  more: 0,
  live: { base: '' },
};

const [{ treeRun }, { foldEvents }, { describeEvent }, { renderEventLine }, { renderFrame }] =
  await Promise.all([
    load('test/support/tree-run.ts'),
    load('src/run/evolve.ts'),
    load('src/cli/progress/event-line.ts'),
    load('src/cli/progress/plain-progress.ts'),
    load('src/cli/progress/progress-frame.ts'),
  ]);
const [{ NodeTimes }, { AnswerTails }, { createStyle }, { showRun }] = await Promise.all([
  load('src/cli/progress/node-times.ts'),
  load('src/cli/progress/answer-tails.ts'),
  load('src/cli/style.ts'),
  load('src/views/show.ts'),
]);
const style16 = createStyle({ isTTY: true, write: () => true }, {});
const COLUMNS = 100;

/**
 * The screen at the last of these events: the lines that stay, and the live picture below them.
 *
 * @type {(events: readonly any[], rows: number) => string}
 */
const screenAt = (events, rows) => {
  const state = foldEvents(events);
  const times = new NodeTimes();
  /** @type {string[]} */
  const lines = [];
  for (const event of events) {
    times.follow(event);
    const line = describeEvent(event, state);
    if (line?.isLasting === true) lines.push(renderEventLine(line, event.at - events[0].at, style16));
  }
  const context = { style: style16, columns: COLUMNS, rows, now: events.at(-1).at, startedAt: events[0].at };
  const frame = renderFrame(state, { ...context, times, tails: new AnswerTails(), isInterrupting: false });
  // Of what does not fit, a terminal shows the end.
  return ['$ orchestrate run task.yaml', ...lines, ...frame].slice(-rows).join('\n');
};
/** @type {(events: readonly any[], type: string, nth?: number) => any[]} */
const until = (events, type, nth = 1) => {
  const ends = events.flatMap((event, index) => (event.type === type ? [index + 1] : []));
  return events.slice(0, ends[nth - 1]);
};
const tree = treeRun();
const shown = showRun(small, { width: COLUMNS, style: style16 });
const SCREENS = [
  { name: 'terminal-live', title: 'orchestrate run', text: screenAt(until(tree, 'retry.scheduled'), 40) },
  { name: 'terminal-2000', title: 'orchestrate run', text: screenAt(large.slice(0, 3200), 24) },
  { name: 'terminal-show', title: 'orchestrate show', text: `$ orchestrate show last\n${shown}` },
];

/** @typedef {import('playwright-core').Page} Page */
/** @type {{ name: string, address: string, theme: 'light' | 'dark', height?: number, act?: (page: Page) => Promise<void> }[]} */
const PICTURES = [
  { name: 'run-page-light', address: runPage('small', small), theme: 'light', height: 1240 },
  {
    name: 'run-page-dark',
    address: runPage('small', small),
    theme: 'dark',
    height: 1240,
    act: async (page) => {
      await page.click('.graph [data-node="population"]');
    },
  },
  { name: 'run-page-2000-light', address: runPage('large', large), theme: 'light', height: 1240 },
  {
    name: 'run-page-2000-dark',
    address: runPage('large', large),
    theme: 'dark',
    height: 1240,
    act: async (page) => {
      await page.click('.graph [data-group*="fetch_page"]');
      await page.locator('.graph .cell.is-failed').first().click();
    },
  },
  {
    name: 'run-page-budget',
    address: runPage('small', small),
    theme: 'light',
    act: async (page) => {
      await page.locator('#budget').scrollIntoViewIfNeeded();
      await page.evaluate("document.getElementById('answer').scrollIntoView()");
    },
  },
  {
    name: 'run-page-question',
    address: runPage('asked', asked, { base: 'http://127.0.0.1:9', list: null }),
    theme: 'light',
    height: 1100,
    act: async (page) => {
      await page.check('input[value=change]');
    },
  },
  {
    name: 'runs-page',
    address: writePage('list', renderPage('Runs', list, assets)),
    theme: 'light',
    height: 420,
  },
];

/** @type {(picture: { name: string }) => boolean} */
const isWanted = ({ name }) => name.startsWith(process.argv[2] ?? '');
const executablePath = execFileSync('sh', ['-c', 'command -v chromium || command -v google-chrome'], {
  encoding: 'utf8',
}).trim();
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
try {
  for (const { name, address, theme, height = SIZE.height, act } of PICTURES.filter(isWanted)) {
    const page = await browser.newPage({ viewport: { ...SIZE, height }, colorScheme: theme });
    // Nobody serves these pages: what they would be told is left out of the pictures.
    await page.addInitScript('window.EventSource = class { addEventListener() {} close() {} };');
    await page.goto(address);
    await page.waitForSelector('html[data-ready]');
    await act?.(page);
    await page.mouse.move(0, 0);
    await page.waitForTimeout(400);
    await page.screenshot({ path: join(images, `${name}.png`) });
    console.log(`wrote docs/images/${name}.png`);
    await page.close();
  }
  for (const { name, title, text } of SCREENS.filter(isWanted)) {
    const page = await browser.newPage({ viewport: SIZE, deviceScaleFactor: 1.5 });
    await page.goto(writePage(name, renderTerminal(title, text, COLUMNS)));
    await page.locator('main').screenshot({ path: join(images, `${name}.png`) });
    console.log(`wrote docs/images/${name}.png`);
    await page.close();
  }
} finally {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
}
