import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { planOf, runCommand, SCRIPTED, startCommand, temporaryFolder } from './command.ts';

const folder = temporaryFolder();
const QUIET = { BROWSER: 'none', USER: 'mara' };

beforeAll(async () => {
  await runCommand(folder, ['run', SCRIPTED, '--run-id', 'good']);
});

/** The data that a page carries. */
function dataOf(html: string): unknown {
  const [, json = ''] = /<script type="application\/json" id="run-data">(.*?)<\/script>/s.exec(html) ?? [];
  return JSON.parse(json);
}

describe('orchestrate export --html', () => {
  it('writes one page that holds the whole run and asks for nothing else', async () => {
    const { exitCode, stdout, stderr } = await runCommand(folder, [
      'export',
      'good',
      '--html',
      '--out',
      'run.html',
    ]);
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^exported good: \d+ events, 0 texts redacted; open the page in any browser$/m);
    const html = readFileSync(join(folder, 'run.html'), 'utf8');
    const data = dataOf(html) as { events: { type: string }[] };
    expect(data).toMatchObject({ kind: 'run', live: null, cut: 0 });
    expect(data.events.map(({ type }) => type)).toContain('node.done');
    expect(data.events.at(-1)?.type).toBe('run.finished');
    expect(html).toContain("default-src 'none'");
    expect(html.match(/(?:src|href)="(?!data:)/g)).toBeNull();
  });

  it('leaves out what looks like a credential', async () => {
    const secret = 'sk-abcdefghijklmnopqrstuvwxyz123456';
    await runCommand(folder, ['run', SCRIPTED, '--run-id', 'secret', planOf('say', `all is ${secret}`)]);
    const { stdout, stderr } = await runCommand(folder, ['export', 'secret', '--html']);
    expect(stdout).not.toContain(secret);
    expect(stdout).toContain('all is [redacted]');
    expect(stderr).toMatch(/exported secret: \d+ events, [1-9]\d* texts redacted/);
  });
});

describe('orchestrate show --web', () => {
  it('opens the page of the run, which nobody else can read', async () => {
    const browser = join(folder, 'browser.sh');
    writeFileSync(browser, `#!/bin/sh\nprintf %s "$1" > "${folder}/opened"\n`);
    chmodSync(browser, 0o755);
    const { exitCode, stdout } = await runCommand(folder, ['show', 'good', '--web'], { BROWSER: browser });
    expect(exitCode).toBe(0);
    const address = readFileSync(join(folder, 'opened'), 'utf8');
    expect(stdout).toBe(`opened ${address}\n`);
    const file = fileURLToPath(address);
    expect(dataOf(readFileSync(file, 'utf8'))).toMatchObject({ kind: 'run' });
    expect(statSync(file).mode & 0o077).toBe(0);
  });

  it('says where the page is where no browser opens it', async () => {
    for (const BROWSER of ['none', join(folder, 'no-such-program'), '/bin/false']) {
      const { exitCode, stdout } = await runCommand(folder, ['show', 'good', '--web'], { BROWSER });
      expect(exitCode).toBe(0);
      const [, address = ''] = /^written; open it in a browser: (file:\S+\.html)$/m.exec(stdout) ?? [];
      expect(existsSync(fileURLToPath(address))).toBe(true);
    }
  });
});

describe('orchestrate web', () => {
  it('serves every run to whoever has its address, until it is interrupted', async () => {
    const web = startCommand(folder, ['web', '--port', '0'], QUIET);
    await web.sees('Ctrl-C ends it');
    const [address = ''] = /http:\S+/.exec(web.written.stdout) ?? [];
    const list = dataOf(await (await fetch(address)).text());
    expect(list).toMatchObject({ kind: 'list', folder: join(folder, '.orchestrate/runs') });
    const { runs } = (await (await fetch(`${address}list`)).json()) as { runs: { runId: string }[] };
    expect(runs.find(({ runId }) => runId === 'good')).toMatchObject({
      ...{ name: 'scripted', status: 'verified', nodes: 1, nodesDone: 1, questions: 0, pressure: 0.1 },
    });
    expect(dataOf(await (await fetch(`${address}runs/good/`)).text())).toMatchObject({ kind: 'run' });
    expect((await fetch(`${address}runs/nowhere/`)).status).toBe(404);
    web.child.kill('SIGINT');
    expect((await web.ended).exitCode).toBe(0);
  });

  it('says who holds a port that is in use, and what to do', async () => {
    const web = startCommand(folder, ['web', '--port', '0'], QUIET);
    await web.sees('Ctrl-C ends it');
    const port = new URL(/http:\S+/.exec(web.written.stdout)?.[0] ?? '').port;
    const { exitCode, stderr } = await runCommand(folder, ['web', '--port', port], QUIET);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(`--port ${port}: in use`);
    if (process.platform === 'linux') expect(stderr).toContain(`(pid ${web.child.pid ?? ''})`);
    expect(stderr).toContain('--port 0');
    web.child.kill('SIGINT');
    await web.ended;
  });

  it('refuses what is no port', async () => {
    for (const port of ['x', '-1', '65536', '']) {
      const { exitCode, stderr } = await runCommand(folder, ['web', `--port=${port}`], QUIET);
      expect([port, exitCode]).toEqual([port, 2]);
      expect(stderr).toContain('--port');
    }
  });
});

/** The page of a run that is served, and what answers its question from an origin. */
async function openServed(run: ReturnType<typeof startCommand>) {
  await expect.poll(() => run.written.stderr, { timeout: 20_000 }).toContain('http:');
  const [address = ''] = /http:\S+/.exec(run.written.stderr) ?? [];
  const { events } = dataOf(await (await fetch(address)).text()) as {
    events: { seq: number; type: string; node?: string }[];
  };
  const asked = events.find(({ type }) => type === 'approval.requested');
  const answer = (origin: string): Promise<Response> =>
    fetch(`${address}answer`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin },
      body: JSON.stringify({ node: asked?.node, question: asked?.seq, decision: 'approved' }),
    });
  return { events, answer, origin: new URL(address).origin };
}

describe('orchestrate run --web', () => {
  it('takes an answer at its page and goes on with it', async () => {
    const options = ['--run-id', 'asked', '--web', '--policy.approve=all'];
    const run = startCommand(folder, ['run', SCRIPTED, ...options], QUIET);
    await run.sees('waits for a person');
    const { answer, origin } = await openServed(run);
    expect((await answer('https://evil.example')).status).toBe(403);
    expect(await (await answer(origin)).json()).toMatchObject({ state: 'logged', isRunning: true });
    const { exitCode, stdout } = await run.ended;
    expect(exitCode).toBe(0);
    expect(stdout).toContain('approved by mara');
  });

  it('shows a run that is taken up from its beginning on', async () => {
    const waiting = await runCommand(folder, ['run', SCRIPTED, '--run-id', 'later', planOf('erase', 'x')]);
    expect(waiting.exitCode).toBe(5);
    const run = startCommand(folder, ['resume', 'later', '--web'], QUIET);
    const { events, answer, origin } = await openServed(run);
    expect(events[0]?.type).toBe('run.started');
    expect(events.map(({ type }) => type)).toContain('run.resumed');
    expect((await answer(origin)).status).toBe(200);
    expect((await run.ended).exitCode).toBe(0);
  });
});
