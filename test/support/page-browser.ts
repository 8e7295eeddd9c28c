import { accessSync, constants, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Browser, type BrowserContextOptions, chromium, type Locator, type Page } from 'playwright-core';
import { afterAll } from 'vitest';
import { bundlePage } from '../../scripts/build-page.mjs';
import type { FlightEvent } from '../../src/flight/events.ts';
import type { PageAssets } from '../../src/views/page/render-page.ts';
import { describeAssets } from '../../src/web/page-assets.ts';
import { renderRunPage } from '../../src/web/render-run-page.ts';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** A headless Chromium that ends with this test file; null, which is said aloud, where there is none. */
export async function startBrowser(): Promise<Browser | null> {
  const executablePath = findChromium();
  if (executablePath === null) {
    console.warn(`no browser: none of ${NAMES.join(', ')} is on the PATH`);
    return null;
  }
  // Root may not sandbox; what is opened are this project's own pages.
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
  afterAll(() => browser.close());
  return browser;
}

function findChromium(): string | null {
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    for (const name of NAMES) {
      try {
        accessSync(join(folder, name), constants.X_OK);
        return join(folder, name);
      } catch {
        // Looked for elsewhere.
      }
    }
  }
  return null;
}

/** The script and the style of the page, from the sources as they are. */
export async function currentAssets(): Promise<PageAssets> {
  const { script, style } = await bundlePage();
  return describeAssets(script, style);
}

/** A page that was opened, and what went wrong on it. */
export interface OpenedPage {
  readonly page: Page;
  /** Errors of scripts, of the console, and requests to anywhere. */
  readonly problems: readonly string[];
}

/** Opens an address, and collects whatever a page should not do. */
export async function openAddress(
  browser: Browser | null,
  address: string,
  options: BrowserContextOptions = {},
): Promise<OpenedPage> {
  if (browser === null) throw new Error('no browser');
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(`error: ${error.message}`));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) problems.push(`console: ${message.text()}`);
  });
  const origin = new URL(address).origin;
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (
      url.protocol !== 'data:' &&
      url.href !== address &&
      (url.protocol === 'file:' || url.origin !== origin)
    ) {
      problems.push(`request: ${request.url()}`);
    }
  });
  await page.goto(address);
  await page.waitForSelector('html[data-ready]');
  return { page, problems };
}

/** An attribute of each element that is found. */
export async function attributesOf(found: Locator, name: string): Promise<string[]> {
  return Promise.all((await found.all()).map(async (one) => (await one.getAttribute(name)) ?? ''));
}

/** Writes the pages of logs into a folder of this test file's own; answers their addresses. */
export function pageFiles(assets: PageAssets): (events: readonly FlightEvent[], isLeft?: boolean) => string {
  const folder = mkdtempSync(join(tmpdir(), 'sortie-page-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  let count = 0;
  return (events, isLeft = false) => {
    const file = join(folder, `${++count}.html`);
    writeFileSync(file, renderRunPage({ events, redacted: 0, program: '0.0.0', isLeft, live: null }, assets));
    return pathToFileURL(file).href;
  };
}
