/* The page of runs with agents in a real browser: their calls, what they ask a person, and what follows from it. */
import { describe, expect, it } from 'vitest';
import type { FlightEvent } from '../../src/index.ts';
import type { Json } from '../../src/kernel/json.ts';
import { formatTime } from '../../src/views/format-amounts.ts';
import { calling, inTurn, lookUp, speaking } from '../support/agent-run.ts';
import { sendTool } from '../support/composed.ts';
import { only } from '../support/core.ts';
import { readGolden } from '../support/golden.ts';
import { type LiveRun, liveRuns } from '../support/live-runs.ts';
import {
  attributesOf,
  currentAssets,
  openAddress,
  type OpenedPage,
  pageFiles,
  startBrowser,
} from '../support/page-browser.ts';

const browser = await startBrowser();
const fileOf = pageFiles(await currentAssets());
const live = liveRuns(browser);

const open = (events: readonly FlightEvent[]): Promise<OpenedPage> => openAddress(browser, fileOf(events));

/** A run of one agent that wants to send something, with its page open. */
async function begin(policy: object = {}): Promise<LiveRun & { readonly sent: readonly Json[] }> {
  const sent: Json[] = [];
  const run = await live.begin({
    task: { name: 'live', goal: 'Send it.', mode: 'agent', verify: { judge: 'off' }, policy },
    tools: [lookUp, sendTool(sent)],
    provider: speaking({ agent: inTurn(calling({ name: 'send', args: { to: 'all' } }), 'I am through.') }),
    memory: null,
  });
  return { ...run, sent };
}

describe.skipIf(browser === null)('the page of a run with agents', () => {
  it('has a row for each agent and each call, those of children below them', async () => {
    const { page, problems } = await open(await readGolden('agent-laborious-v1'));
    await page.getByRole('button', { name: 'Open all' }).click();
    const rows = await attributesOf(page.locator('.wf-row'), 'aria-label');
    expect(rows.filter((row) => row.startsWith('tool call look')).length).toBeGreaterThan(3);
    expect(rows.filter((row) => row.startsWith('model call agent')).length).toBeGreaterThan(3);
    expect(rows.filter((row) => row.startsWith('agent delegate, agent · 2 rounds, done'))).toHaveLength(1);
    expect(problems).toEqual([]);
  });

  it('shows arguments and result of a call, and the task of an agent', async () => {
    const { page, problems } = await open(await readGolden('agent-alone-v1'));
    const panel = page.getByRole('complementary', { name: 'Details' });
    await page.getByRole('option', { name: /^tool call look_up/ }).click();
    expect(await panel.getByLabel('Arguments').innerText()).toContain('"city": "Tokyo"');
    expect(await panel.getByLabel('Result', { exact: true }).innerText()).toContain('13960000');
    await page.click('.graph [data-node="agent"]');
    expect(await panel.getByLabel('Task of the agent').innerText()).toContain('How many live in Tokyo?');
    expect(await panel.innerText()).toMatch(/2 rounds · completed: completed/);
    const steps = await page.locator('#steps').innerText();
    expect(steps).toContain('look_up');
    expect(problems).toEqual([]);
  });

  it('shows a session exchange by exchange', async () => {
    const { page, problems } = await open(await readGolden('agent-session-v1'));
    await page.getByRole('option', { name: /^agent chat\/2/ }).click();
    const panel = page.getByRole('complementary', { name: 'Details' });
    expect(await panel.innerText()).toContain('How many live in Tokyo?');
    expect(problems).toEqual([]);
  });

  it('hatches the time in which a person was asked about a call', async () => {
    const { page } = await open(await readGolden('agent-denied-v1'));
    const bars = page.getByRole('option', { name: /^tool call send, tool, refused/ }).locator('.bar');
    expect(await attributesOf(bars, 'class')).toEqual(['bar waiting of-tool']);
  });

  it('says why a call is asked about beside its effect', async () => {
    const events = await readGolden('guard-tainted-v1');
    const asked = events.findIndex(({ type }) => type === 'approval.requested');
    const { page, problems } = await open(events.slice(0, asked + 1));
    expect(await page.locator('.question .whys').innerText()).toBe(
      '"to" comes from the open world, by way of page',
    );
    expect(problems).toEqual([]);
  });
});

describe.skipIf(browser === null)('a question of an agent on the live page', () => {
  it('is answered there, and the agent goes on with the answer', async () => {
    const { page, problems, sent, ended } = await begin();
    const question = page.locator('[data-question="agent/1/2"]');
    await question.waitFor();
    expect(await question.locator('h3').innerText()).toBe('The agent agent/1 wants to call send');
    expect(await question.innerText()).toContain('the agent is told why');
    await question.locator('input[value=approve]').check();
    await question.getByRole('button', { name: 'Answer' }).click();
    expect(await ended).toMatchObject({ status: 'unverified', answer: 'I am through.' });
    expect(sent).toEqual([{ to: 'all' }]);
    await expect.poll(() => question.count()).toBe(0);
    const row = page.getByRole('option', { name: /^tool call send, tool, done/ });
    expect(await attributesOf(row.locator('.bar'), 'class')).toEqual([
      'bar waiting of-tool',
      'bar done of-tool',
    ]);
    expect(problems).toEqual([]);
  });

  it('says until when it waits, and is gone when nobody answered by then', async () => {
    const { page, events, sent, ended } = await begin({ approvalTimeoutSeconds: 4 });
    const question = page.locator('[data-question="agent/1/2"]');
    await question.waitFor();
    const asked = events.find(({ type }) => type === 'approval.requested');
    expect(await question.innerText()).toContain(
      `without an answer it counts as denied at ${formatTime((asked?.at ?? 0) + 4000)}`,
    );
    await expect.poll(() => question.count(), { timeout: 15_000 }).toBe(0);
    expect(only(events, 'approval.decided')).toMatchObject([
      { decision: 'denied', by: 'nobody', expired: true, reason: 'no answer within 4 s' },
    ]);
    expect(await ended).toMatchObject({ answer: 'I am through.' });
    expect(sent).toEqual([]);
  });
});
