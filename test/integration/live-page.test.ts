/* The page of a run that goes on, in a real browser: questions are answered there, and the run goes on with the answer. */
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { loadPageKit } from '../../src/cli/page-sources.ts';
import type { Tool } from '../../src/contracts/tool.ts';
import { openRunStore } from '../../src/index.ts';
import { sha256 } from '../../src/kernel/hash.ts';
import type { Json } from '../../src/kernel/json.ts';
import { askHuman } from '../../src/tools/builtin/ask-human.ts';
import { PageServer } from '../../src/web/page-server.ts';
import { PushedFeed } from '../../src/web/run-feed.ts';
import { byRole, sendTool } from '../support/composed.ts';
import { echoTool, only, plan } from '../support/core.ts';
import { FlightBuilder } from '../support/flight-builder.ts';
import { type LiveRun, liveRuns } from '../support/live-runs.ts';
import { openAddress, startBrowser } from '../support/page-browser.ts';
import { recordIo } from '../unit/cli/support.ts';

const browser = await startBrowser();
const { folder, begin: beginLive } = liveRuns(browser);

const NODES: readonly Json[] = [
  { id: 'look', tool: 'look', args: {} },
  { id: 'send', tool: 'send', args: { to: 'all' } },
  { id: 'report', tool: 'echo', args: { value: { $ref: 'send' } }, deps: ['look'] },
];

interface LivePlan extends LiveRun {
  readonly sent: readonly Json[];
  /** Lets the look-up that runs beside the question return. */
  readonly release: () => void;
}

async function begin(nodes: readonly Json[] = NODES, policy = {}): Promise<LivePlan> {
  const sent: Json[] = [];
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  const look: Tool = echoTool('look', { run: () => released.then(() => 'seen') });
  const { provider } = byRole({ planner: JSON.stringify(plan(...nodes)) });
  const run = await beginLive({
    task: {
      name: 'live',
      goal: 'Send it.',
      verify: { judge: 'off' },
      walk: 'eager',
      limits: { replans: 0 },
      policy,
    },
    tools: [look, sendTool(sent), echoTool('echo'), askHuman],
    provider,
  });
  return { ...run, sent, release };
}

describe.skipIf(browser === null)('the page of a run that goes on', () => {
  it('continues the run with an approval while its siblings work', async () => {
    const { page, problems, events, sent, ended, release } = await begin();
    const question = page.locator('[data-question="send"]');
    await question.waitFor();
    expect(await question.locator('.args').innerText()).toMatch(/to\s+all/);
    expect(await page.title()).toMatch(/^\(1\) live/);
    expect(await page.locator('.graph [data-node="look"].is-running').count()).toBe(1);
    await question.locator('input[value=approve]').check();
    await question.getByLabel(/^Why/).fill('looks right');
    await question.getByRole('button', { name: 'Answer' }).click();
    await expect.poll(() => sent, { timeout: 10_000 }).toEqual([{ to: 'all' }]);
    // The sibling has not returned: the answer did not wait for it.
    expect(only(events, 'node.done').map(({ node }) => node)).toEqual(['send']);
    expect(only(events, 'approval.decided')).toMatchObject([
      { decision: 'approved', by: 'mara', reason: 'looks right' },
    ]);
    release();
    expect((await ended).status).toBe('unverified');
    await expect.poll(() => page.locator('.headline .status').first().innerText()).toContain('unverified');
    expect(await question.count()).toBe(0);
    expect(problems).toEqual([]);
  });

  it('makes the call with other arguments, which its form takes as the schema says', async () => {
    const { page, sent, ended, release } = await begin();
    release();
    const question = page.locator('[data-question="send"]');
    await question.locator('input[value=change]').check();
    const to = question.getByLabel('to', { exact: true });
    expect(await to.inputValue()).toBe('all');
    await to.fill('me@example.org');
    await question.getByLabel('after (may be left out)').fill('{not json');
    await question.getByRole('button', { name: 'Answer' }).click();
    expect(await question.locator('.problem:visible').innerText()).toContain('after is no JSON');
    expect(sent).toEqual([]);
    await question.getByLabel('after (may be left out)').fill('["noon"]');
    await question.getByRole('button', { name: 'Answer' }).click();
    expect((await ended).status).toBe('unverified');
    expect(sent).toEqual([{ to: 'me@example.org', after: ['noon'] }]);
  });

  it('denies a call for a reason', async () => {
    const { page, events, sent, ended, release } = await begin();
    release();
    const question = page.locator('[data-question="send"]');
    await question.locator('input[value=deny]').check();
    await question.getByLabel(/^Why/).fill('Wrong list.');
    await question.getByRole('button', { name: 'Deny' }).click();
    expect((await ended).status).toBe('failed');
    expect(sent).toEqual([]);
    expect(only(events, 'approval.decided')).toMatchObject([{ decision: 'denied', reason: 'Wrong list.' }]);
  });

  it('answers nobody from another origin, though they know the address', async () => {
    const { page, sent, address, ended, release } = await begin();
    await page.locator('[data-question="send"]').waitFor();
    const other = await browser!.newPage();
    await other.route('https://evil.example/', (route) =>
      route.fulfill({ contentType: 'text/html', body: '<p>another origin</p>' }),
    );
    await other.goto('https://evil.example/');
    const outcome = await other.evaluate(async (base) => {
      const body = JSON.stringify({ node: 'send', question: 5, decision: 'approved' });
      const simple = fetch(`${base}answer`, { method: 'POST', body, mode: 'no-cors' }).then(
        () => 'sent',
        () => 'refused',
      );
      const read = fetch(base).then(
        (response) => response.text(),
        () => 'refused',
      );
      return [await simple, await read];
    }, address);
    expect(outcome[1]).toBe('refused');
    await delay(600);
    expect(sent).toEqual([]);
    expect(await page.locator('[data-question="send"]').count()).toBe(1);
    await page.locator('input[value=deny]').check();
    await page.getByRole('button', { name: 'Deny' }).click();
    release();
    await ended;
    await other.close();
  });

  it('shows texts that look like credentials to nobody, and calls with what they were', async () => {
    const secret = 'sk-abcdefghijklmnopqrstuvwxyz123456';
    const { page, sent, ended, release } = await begin([
      { id: 'look', tool: 'look', args: {} },
      { id: 'send', tool: 'send', args: { to: `key ${secret}` } },
      { id: 'report', tool: 'echo', args: { value: { $ref: 'send' } }, deps: ['look'] },
    ]);
    release();
    const question = page.locator('[data-question="send"]');
    expect(await question.innerText()).toContain('key [redacted]');
    expect(await page.content()).not.toContain(secret);
    await question.locator('input[value=change]').check();
    await question.getByLabel('after (may be left out)').fill('1');
    await question.getByRole('button', { name: 'Answer' }).click();
    await ended;
    expect(sent).toEqual([{ to: `key ${secret}`, after: 1 }]);
  });

  it('keeps what is written while the rest of the run goes on, and what it shows once the server is gone', async () => {
    const { page, ended, release, events } = await begin();
    const question = page.locator('[data-question="send"]');
    await question.getByLabel(/^Why/).fill('half a sen');
    release();
    await expect.poll(() => only(events, 'node.done').length, { timeout: 10_000 }).toBe(1);
    await expect.poll(() => page.locator('.graph [data-node="look"].is-done').count()).toBe(1);
    expect(await question.getByLabel(/^Why/).inputValue()).toBe('half a sen');
    await question.locator('input[value=approve]').check();
    await question.getByRole('button', { name: 'Answer' }).click();
    const { runId } = await ended;
    await expect.poll(() => page.locator('.feed').innerText()).toBe('ended');
    await page.click('.graph [data-node="report"]');
    expect(await page.locator('.panel').innerText()).toContain('sent to all');
    expect((await openRunStore(folder).read(runId)).at(-1)?.type).toBe('run.finished');
  });

  it('takes the answer to a question of the run, one of those that it names, as its result', async () => {
    const args = { question: 'Which colour?', choices: ['red', 'blue'] };
    const { page, problems, events, ended } = await begin([{ id: 'ask', tool: 'ask_human', args }]);
    const question = page.locator('[data-question="ask"]');
    await question.waitFor();
    expect(await question.innerText()).toContain('ask asks you');
    expect(await question.innerText()).toContain('Which colour?');
    await question.locator('input[value=done]').check();
    await question.locator('select').selectOption({ label: 'blue' });
    await question.getByRole('button', { name: 'Answer' }).click();
    expect(await ended).toMatchObject({ status: 'unverified', answer: 'blue' });
    expect(only(events, 'approval.decided')).toMatchObject([{ decision: 'done', by: 'mara', value: 'blue' }]);
    expect(problems).toEqual([]);
  });

  it('asks what became of a call that nobody knows of, and takes its result as the schema says', async () => {
    const output = { type: 'object', properties: { receipt: { type: 'string' } }, required: ['receipt'] };
    const send = {
      name: 'send',
      description: 'Sends.',
      input: true,
      output,
      costHint: 1,
      effect: 'irreversible',
    };
    const events = new FlightBuilder()
      .start()
      .add('catalogue.published', { hash: sha256('c'), tools: [send as never], withheld: [] })
      .plan([{ id: 'mail', tool: 'send', args: { to: 'all' } }], 'mail')
      .add('approval.requested', {
        ...{ node: 'mail', question: 'in_doubt', tool: 'send', args: { to: 'all' } },
        ...{ argsHash: sha256('a'), plan: sha256('plan 1') },
      })
      .build();
    const given: Json[] = [];
    const kit = await loadPageKit(openRunStore(folder), recordIo());
    const shown = kit.show(new PushedFeed(events));
    const server = new PageServer({
      home: (base) => kit.runPage(shown, base, null),
      list: null,
      page: (_, base) => kit.runPage(shown, base, null),
      events: () => Promise.resolve(shown),
      answer: (_, answer) => {
        given.push(answer);
        return Promise.resolve({ runId: 'r', node: 'mail', state: 'logged', isRunning: false });
      },
    });
    await server.listen(0);
    const { page, problems } = await openAddress(browser, server.address);
    const question = page.locator('[data-question="mail"]');
    expect(await question.innerText()).toContain('Nobody knows whether mail has called send');
    await question.locator('input[value=done]').check();
    await question.getByRole('button', { name: 'Answer' }).click();
    await expect
      .poll(() => given)
      .toEqual([{ node: 'mail', question: 3, decision: 'done', reason: '', value: { receipt: '' } }]);
    await expect
      .poll(() => question.locator('.told').innerText())
      .toContain('continue with orchestrate resume r');
    expect(problems).toEqual([]);
    await page.context().close();
    await server.close();
  });
});
