/* The page of a run in a real browser: what it shows, what it can be asked, and what it never does. */
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import type { FlightEvent } from '../../src/flight/events.ts';
import { only } from '../support/core.ts';
import { FlightBuilder } from '../support/flight-builder.ts';
import { largeShowcase } from '../support/large-showcase.ts';
import {
  attributesOf,
  currentAssets,
  openAddress,
  type OpenedPage,
  pageFiles,
  startBrowser,
} from '../support/page-browser.ts';
import { smallShowcase } from '../support/small-showcase.ts';

const browser = await startBrowser();
const fileOf = pageFiles(await currentAssets());

const open = (events: readonly FlightEvent[], options = {}): Promise<OpenedPage> =>
  openAddress(browser, fileOf(events), options);

const nodesOfGraph = (page: Page): Promise<string[]> =>
  attributesOf(page.locator('.graph [data-node]'), 'data-node');

const textOf = (page: Page, selector: string): Promise<string> => page.locator(selector).innerText();

describe.skipIf(browser === null)('the page of a run', () => {
  it('shows every node of the plan, asks nobody for anything and complains of nothing', async () => {
    const events = smallShowcase();
    const { page, problems } = await open(events);
    const planned = only(events, 'plan.accepted')[0]?.plan.nodes.map(({ id }) => id);
    expect((await nodesOfGraph(page)).sort()).toEqual(planned?.sort());
    expect(await page.locator('.graph .node.critical').count()).toBe(5);
    expect(await page.title()).toBe('four-cities · orchestrate');
    expect(problems).toEqual([]);
  });

  it('shows arguments and result of a node that is clicked, and the error of one that failed', async () => {
    const { page, problems } = await open(smallShowcase());
    await page.click('.graph [data-node="rents_eur"]');
    const panel = page.getByRole('complementary', { name: 'Details' });
    expect(await panel.getByLabel('Result', { exact: true }).innerText()).toContain('"Lisbon": 1240');
    // The results that the arguments refer to stand in their place.
    expect(await panel.getByLabel('Arguments').innerText()).toContain('"Lima": 1973');
    await page.click('.graph [data-node="rainfall"]');
    expect(await panel.innerText()).toContain('no rainfall before 1990 for "Osaka"');
    expect(await panel.innerText()).toContain('missing_info');
    await panel.getByRole('button', { name: 'Close the details' }).click();
    expect(await panel.count()).toBe(0);
    expect(problems).toEqual([]);
  });

  it('runs nothing that a run holds', async () => {
    const evil = '</script><script>window.hacked = 1</script><img src=x onerror="window.hacked = 2"><!--';
    const id = '</script><script>window.hacked=1</script><!--';
    const events = new FlightBuilder()
      .start({ name: evil, goal: evil })
      .catalogue(evil)
      .plan([{ id, tool: evil, args: { [evil]: evil } }], id)
      .nodeRun(id, 5, { [evil]: evil })
      .verdict(id, 'fail', [evil])
      .finish('rejected', evil)
      .build();
    const { page, problems } = await open(events);
    await page.locator('.graph [data-node]').first().click();
    expect(await textOf(page, '.panel')).toContain('window.hacked = 1');
    expect(await page.locator('#page script, #page img').count()).toBe(0);
    expect(await page.evaluate('window.hacked')).toBe(undefined);
    expect(problems).toEqual([]);
  });

  it('keeps the wait for a person apart from the work', async () => {
    const { page } = await open(smallShowcase());
    const tiles = (await page.locator('.tile').allInnerTexts()).map((text) => text.replace(/\s+/g, ' '));
    expect(tiles[0]).toMatch(/^Worked 12\.\d+ s/);
    expect(tiles[1]).toMatch(/^Waited for a person 14 h 18 min not running for 1 min 35 s/);
    const bars = page.getByRole('option', { name: /^publish, publish_page/ }).locator('.bar');
    expect(await attributesOf(bars, 'class')).toEqual(['bar waiting of-node', 'bar done of-node']);
    const [wait = 0, work = 0] = await Promise.all(
      (await bars.all()).map(async (bar) => (await bar.boundingBox())?.width ?? 0),
    );
    // Fourteen hours of waiting take no more room than a part of twelve seconds of work.
    expect(wait).toBeGreaterThan(10);
    expect(wait).toBeLessThan(4 * work);
  });

  it('has a row for each item of a foreach node, with its attempts', async () => {
    const { page } = await open(smallShowcase());
    const items = page.getByRole('option', { name: /^population\[/ });
    expect(await items.count()).toBe(4);
    const retried = page.getByRole('option', { name: /^population\[1\]/ });
    expect(await retried.getAttribute('aria-label')).toContain('2 tries');
    expect(await attributesOf(retried.locator('.bar'), 'class')).toEqual([
      'bar again of-item',
      'bar done of-item',
    ]);
  });

  it('says what was decided because of the budget, and each check of the verdict', async () => {
    const { page } = await open(smallShowcase());
    expect(await textOf(page, '.decisions')).toContain('71 % of its toolCalls and went on in mode economy');
    expect(await textOf(page, '.decisions')).toContain('skyline was skipped: it is optional');
    expect(await page.getByRole('img', { name: /^Pressure over time/ }).count()).toBe(1);
    expect(await page.locator('.checks li').count()).toBe(5);
  });

  it('finds every event by any word in it', async () => {
    const { page } = await open(smallShowcase());
    await page.fill('#events input', 'osaka rainfall');
    expect(await textOf(page, '#events .note')).toMatch(/^\d+ of \d+ events$/);
    const found = page.locator('.ev-row');
    expect(await found.first().innerText()).toContain('attempt.failed');
    await page.selectOption('#events select', 'node.failed');
    expect(await found.count()).toBe(1);
    await found.first().click();
    expect(await textOf(page, '.panel')).toContain('no rainfall before 1990');
  });

  it('is used with the keyboard alone', async () => {
    const { page } = await open(smallShowcase());
    await page.focus('.graph');
    await page.keyboard.press('ArrowRight');
    expect(await textOf(page, '.panel-title')).toBe('cities');
    await page.keyboard.press('ArrowRight');
    expect(await textOf(page, '.panel-title')).toBe('population');
    await page.keyboard.press('ArrowDown');
    expect(await textOf(page, '.panel-title')).toBe('rents');
    await page.keyboard.press('Escape');
    expect(await page.locator('.panel').isVisible()).toBe(false);
    await page.focus('.waterfall .row-window');
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    expect(await textOf(page, '.panel-title')).toBe('publish');
  });

  it('says all that it shows to those who do not see it', async () => {
    const { page } = await open(smallShowcase());
    const told = await page.locator('main').ariaSnapshot();
    expect(told).toContain('heading "four-cities" [level=1]');
    expect(told).toContain('application "Plan with 10 nodes in 6 levels');
    expect(told).toContain('listbox "Waterfall: nodes, items, agents and calls');
    expect(told).toContain('table "What was used of each dimension of the budget"');
    await page.focus('.graph');
    await page.keyboard.press('ArrowRight');
    expect(await page.locator('[aria-live="polite"]').first().textContent()).toContain(
      'cities, list_cities, done; took 680 ms',
    );
  });

  it('is light or dark as the system is, and as it is told', async () => {
    const { page } = await open(smallShowcase(), { colorScheme: 'dark' });
    const ground = (): Promise<string> => page.evaluate('getComputedStyle(document.body).backgroundColor');
    const dark = await ground();
    await page.getByRole('button', { name: 'Show the page light' }).click();
    expect(await ground()).not.toBe(dark);
    await page.emulateMedia({ colorScheme: 'light' });
    await page.getByRole('button', { name: 'Show the page dark' }).click();
    expect(await ground()).toBe(dark);
  });

  it('says of a run whose process has died that it is unfinished, and how to take it up', async () => {
    const events = smallShowcase();
    const cut = events.slice(
      0,
      events.findIndex(({ type }) => type === 'attempt.failed'),
    );
    const overview = async (isLeft: boolean): Promise<string> => {
      const { page, problems } = await openAddress(browser, fileOf(cut, isLeft));
      expect(problems).toEqual([]);
      return textOf(page, '.overview');
    };
    const left = await overview(true);
    expect(left).toContain('unfinished');
    expect(left).toContain('orchestrate resume 20261130-070000-214-k3vd takes it up again');
    expect(left).not.toContain('running');
    expect(await overview(false)).toContain('running');
  });

  it('folds long texts until they are asked for', async () => {
    const long = Array.from({ length: 5000 }, (_, index) => `line ${index}`).join('\n');
    const { page } = await open(smallShowcase(long));
    await page.click('.graph [data-node="report"]');
    const result = page.locator('.panel').getByLabel('Result', { exact: true });
    expect(await result.innerText()).not.toContain('line 100');
    await page.locator('.panel .more').first().click();
    expect(await result.innerText()).toContain('line 4999');
  });

  it('folds the crowded levels of a large plan, and lays them open', async () => {
    const { page, problems } = await open(largeShowcase(2000));
    expect(await page.locator('.graph .group.folded').count()).toBeGreaterThan(3);
    expect(await page.locator('.graph [data-node]').count()).toBeLessThan(40);
    await page.locator('.graph .group.folded').first().click();
    await expect.poll(() => page.locator('.graph .cell').count()).toBeGreaterThan(20);
    // Of many rows only those are made that can be seen.
    expect(await page.locator('.wf-row').count()).toBeLessThan(60);
    expect(problems).toEqual([]);
  });

  it('takes no more than three times as long for each node of 2 000 as of 200', async () => {
    const perNode = async (nodes: number): Promise<number> => {
      const times: number[] = [];
      for (let round = 0; round < 3; round++) {
        const { page } = await open(largeShowcase(nodes));
        times.push(await page.evaluate<number>("performance.getEntriesByName('page-ready')[0].startTime"));
        await page.context().close();
      }
      return Math.min(...times) / nodes;
    };
    expect(await perNode(2000)).toBeLessThan(3 * (await perNode(200)));
  });
});
