/*
 * What policy denies by name is kept from programs and file tools, whatever a program makes of the names. The programs
 * run in the real sandbox.
 */
import { mkdirSync, readdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { attempt, makeWorkspace, node, shell } from '../support/attempt.ts';
import { temporaryFolder } from '../support/flight-events.ts';
import { missingSandbox } from '../support/program-call.ts';

const missing = await missingSandbox();

describe.skipIf(missing !== null)('what policy denies', { timeout: 60_000 }, () => {
  it('is neither read nor changed by a program in the sandbox', async () => {
    const secrets = ['secrets/key.txt', 'deep/er/secrets/key.txt', '.env', 'deep/.env', 'Keys.PEM'];
    const workspace = makeWorkspace({
      ...Object.fromEntries(secrets.map((path) => [path, 'the secret'])),
      'open.txt': 'what is open',
    });
    const command = [
      'mv deep moved; cat open.txt; ls -R; grep -r secret . ; rm -rf secrets .env moved',
      'echo x > secrets/new; echo y > .env',
    ].join('; ');
    const policy = { dangerous: 'allow' as const, paths: { deny: ['secrets', '.env*', '*.pem'] } };
    const runsFolder = realpathSync(temporaryFolder());
    const result = await attempt({ workspace, runsFolder, nodes: [shell(command)], task: { policy } });
    expect(result.answer).toMatchObject({ stdout: expect.stringMatching(/^what is open/) as string });
    expect(JSON.stringify(result.answer)).not.toContain('the secret');
    for (const path of secrets)
      expect(readFileSync(join(workspace, path.replace(/^deep/, 'moved')), 'utf8'), path).toBe('the secret');
    expect(readdirSync(join(workspace, 'secrets'))).toEqual(['key.txt']);
  });

  const READ_ALL = 'echo begun; grep -rs secret .; find . -type f -exec cat {} + 2>&1';
  const SECRET = 'the secret';
  const policyOf = (deny: string[]) => ({ dangerous: 'allow' as const, paths: { deny } });

  it.each([
    ['the folder around it is moved', ['config/*.pem'], 'mv config pub', 'pub/a.pem'],
    ['it is a folder, and the one around it is moved', ['config/private/**'], 'mv config x', 'x/private/k'],
    ['it is a file deep down', ['config/deep/er.txt'], 'mv config/deep z', 'z/er.txt'],
    ['it is moved twice', ['config/*.pem'], 'mv config a; mkdir b; mv a b/c', 'b/c/a.pem'],
    [
      'another folder takes its place',
      ['config/*.pem'],
      'mv config p; mkdir config; echo x > config/a.pem',
      'p/a.pem',
    ],
    ['a link of its name is removed', ['key'], 'rm key', 'real'],
    ['a link of its name leads elsewhere', ['key'], 'ln -sfn mock.ts key', 'real'],
    ['a linked folder of its name is removed', ['link/k'], 'rm link', 'config/private/k'],
  ])('is not read by the next program where %s', async (_, deny, command, path) => {
    const workspace = makeWorkspace({});
    const paths = ['config/a.pem', 'config/private/k', 'config/deep/er.txt', 'real'];
    for (const each of paths) mkdirSync(dirname(join(workspace, each)), { recursive: true });
    symlinkSync('real', join(workspace, 'key'));
    symlinkSync('config/private', join(workspace, 'link'));
    // What is denied is the only place that holds it.
    const secret = paths.find((each) => each.endsWith(path.split('/').at(-1) ?? '')) ?? '';
    writeFileSync(join(workspace, secret), SECRET);
    const nodes = [
      shell(`${command}; ls`),
      node('next', {
        tool: 'shell',
        args: { command: `${READ_ALL}; rm -f ${path}`, allowFailure: true },
        deps: ['code'],
      }),
      node('third', { tool: 'shell', args: { command: READ_ALL, allowFailure: true }, deps: ['next'] }),
    ];
    const runsFolder = realpathSync(temporaryFolder());
    const result = await attempt({ workspace, runsFolder, nodes, task: { policy: policyOf(deny) } });
    expect(result.answer).toMatchObject({ stdout: expect.stringMatching(/^begun/) as string });
    expect(JSON.stringify(result)).not.toContain(SECRET);
    expect(readFileSync(join(runsFolder, 'r1/flight.jsonl'), 'utf8')).not.toContain(SECRET);
    expect(readFileSync(join(workspace, path), 'utf8')).toBe(SECRET);
  });

  it.each([
    ['in the background', 'while :; do mv -T config pub; mv -T pub config; done 2>/dev/null', ':', 1],
    ['of their own kind', 'sleep 0', 'mv -T config $$; sleep 0.1; mv -T $$ config', 5],
  ])('is not read while programs %s move the folder around it', async (_, background, move, concurrency) => {
    const workspace = makeWorkspace({ 'config/a.pem': SECRET });
    const command = `cat */a.pem; ls; ${move}; cat */a.pem`;
    const numbers = Array.from({ length: 10 }, (__, at) => at);
    const nodes = [
      node('code', {
        tool: 'start_process',
        args: { command: `echo ready; ${background}`, waitFor: 'ready' },
      }),
      ...numbers.map((at) =>
        node(`n${at}`, {
          tool: 'shell',
          args: { command, allowFailure: true },
          deps: [concurrency === 1 && at > 0 ? `n${at - 1}` : 'code'],
        }),
      ),
      node('last', {
        tool: 'shell',
        args: { command: 'echo end' },
        deps: numbers.map((at) => `n${at}`),
      }),
    ];
    const runsFolder = realpathSync(temporaryFolder());
    const task = { policy: policyOf(['config/*.pem']), concurrency };
    const result = await attempt({ workspace, runsFolder, nodes, task });
    expect(result.answer).toMatchObject({ stdout: 'end\n' });
    expect(readFileSync(join(runsFolder, 'r1/flight.jsonl'), 'utf8')).not.toContain(SECRET);
  });

  it('is told of where a program moves the folder around it', async () => {
    const workspace = makeWorkspace({ 'config/a.pem': SECRET });
    const task = { policy: policyOf(['config/*.pem']) };
    const result = await attempt({
      ...{ workspace, runsFolder: realpathSync(temporaryFolder()), task },
      nodes: [shell('mv config pub')],
    });
    expect(result.answer).toMatchObject({
      warnings: [expect.stringMatching(/^config\/a\.pem, which policy denies, is now pub\/a\.pem: /)],
    });
  });

  it.each([
    ['read_file', { path: 'pub/private/k' }],
    ['read_file', { path: 'pub/a.pem' }],
    ['read_file', { path: 'to-pem' }],
    ['write_file', { path: 'pub/a.pem', content: 'x', overwrite: true }],
    ['list_files', { path: 'pub/private' }],
    ['search_files', { path: 'pub/private', query: 'secret' }],
    ['run_python_file', { path: 'pub/private/k' }],
    ['shell', { command: 'ls', folder: 'pub/private' }],
  ])('is not reached by %s %j after a program has moved it', async (tool, args) => {
    const workspace = makeWorkspace({ 'config/a.pem': SECRET, 'config/private/k': SECRET });
    symlinkSync('pub/a.pem', join(workspace, 'to-pem'));
    // A link of a denied name does not make the new place the one that was denied.
    const nodes = [
      shell('mv config pub; ln -s pub/a.pem key'),
      node('more', { tool: 'shell', args: { command: 'ls' }, deps: ['code'] }),
      node('file', { tool, args, deps: ['more'] }),
    ];
    const task = { policy: policyOf(['config/*.pem', 'config/private', 'key']) };
    const result = await attempt({ workspace, runsFolder: realpathSync(temporaryFolder()), nodes, task });
    expect(result.failure).toMatchObject({
      message: expect.stringContaining('policy does not permit') as string,
    });
    expect(readFileSync(join(workspace, 'pub/a.pem'), 'utf8')).toBe(SECRET);
  });

  it('is passed over by what lists and searches after a program has moved it', async () => {
    const files = { 'config/a.pem': SECRET, 'config/private/k': SECRET, 'config/open.txt': 'no secret' };
    const nodes = [
      shell('mv config pub'),
      node('search', { tool: 'search_files', args: { query: 'secret' }, deps: ['code'] }),
      node('list', { tool: 'list_files', args: { path: 'pub', recursive: true }, deps: ['search'] }),
    ];
    const runsFolder = realpathSync(temporaryFolder());
    const task = { policy: policyOf(['config/*.pem', 'config/private']) };
    const result = await attempt({ workspace: makeWorkspace(files), runsFolder, nodes, task });
    expect(result.answer).toMatchObject({ entries: [{ path: 'pub/open.txt' }] });
    const log = readFileSync(join(runsFolder, 'r1/flight.jsonl'), 'utf8');
    expect(log).toContain('no secret');
    expect(log).not.toContain(SECRET);
  });

  it('refuses programs where it is too much to be kept from them', async () => {
    const files = Array.from({ length: 501 }, (_, at) => [`logs/${at}.log`, '']);
    const workspace = makeWorkspace(Object.fromEntries(files) as Record<string, string>);
    const policy = { paths: { deny: ['*.log'] } };
    const runsFolder = realpathSync(temporaryFolder());
    const result = await attempt({ workspace, runsFolder, nodes: [shell('ls')], task: { policy } });
    expect(result.failure?.message).toContain('policy.paths.deny matches more than 500 places');
  });
});
