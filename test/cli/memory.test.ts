import { cpSync, mkdirSync, mkdtempSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { fact } from '../support/memory-entries.ts';
import { SMALL_MODEL, writeSmallModel } from '../support/model-folder.ts';
import { runCommand, startCommand, temporaryFolder } from './command.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const MODEL = join(ROOT, 'models', 'all-MiniLM-L6-v2');

const parent = temporaryFolder();
const newFolder = (): string => mkdtempSync(join(parent, 'project-'));

describe('orchestrate memory', () => {
  it('finds by meaning what was added, with the packaged model, from any folder', async () => {
    const folder = newFolder();
    for (const text of ['The harbour is closed on Sundays', 'The printer needs toner'])
      expect(await runCommand(folder, ['memory', 'add', text])).toMatchObject({ exitCode: 0, stderr: '' });
    const found = await runCommand(folder, ['memory', 'search', 'when can ships dock?']);
    expect(found).toMatchObject({ exitCode: 0, stderr: '' });
    expect(found.stdout).toMatch(
      /^note\/\w+\n {2}0\.\d\d · semantic · just now · told by a person\n {2}The harbour/,
    );
    expect(found.stdout).toContain('by meaning and shared words (all-MiniLM-L6-v2@afdb6f1a)');
  });

  it('gives memories the vectors that they lack', async () => {
    const folder = newFolder();
    const lines = ['one', 'two', 'three', 'four'].map((text) => JSON.stringify({ record: fact(text, text) }));
    writeFileSync(join(folder, 'm.jsonl'), lines.join('\n'));
    await runCommand(folder, ['memory', 'import', 'm.jsonl']);
    expect((await runCommand(folder, ['memory', 'stats'])).stdout).toContain(
      '4 lack one of all-MiniLM-L6-v2',
    );
    const { stdout, stderr } = await runCommand(folder, ['memory', 'reindex']);
    expect(stdout).toContain('embedded 4 memories of scope "default" with all-MiniLM-L6-v2@afdb6f1a');
    expect(stderr).toBe(
      [25, 50, 75, 100].map((share, index) => `embedding: ${share} % (${index + 1} of 4)\n`).join(''),
    );
    const stats = await runCommand(folder, ['memory', 'stats']);
    expect(stats.stdout).toMatch(/^vectors +4 of all-MiniLM-L6-v2@afdb6f1a \(384 dimensions\)$/m);
    expect((await runCommand(folder, ['memory', 'reindex'])).stdout).toContain('has a vector of');
  });

  it('is plain where it is piped, coloured where that is forced, and JSON where that is asked for', async () => {
    const folder = newFolder();
    await runCommand(folder, ['memory', 'add', 'x']);
    for (const words of [
      ['list'],
      ['search', 'x', '--by', 'words'],
      ['stats'],
      ['show', 'note/'],
      ['export'],
    ]) {
      const plain = await runCommand(folder, ['memory', ...words]);
      expect(plain.stdout + plain.stderr).not.toContain('\u001b');
      const json = await runCommand(folder, ['memory', ...words, '--json'], { FORCE_COLOR: '1' });
      const lines = json.stdout.trim().split('\n');
      expect(() => JSON.parse(lines.join('\n')) as unknown).not.toThrow();
    }
    const coloured = await runCommand(folder, ['memory', 'list'], { FORCE_COLOR: '1' });
    expect(coloured.stdout).toContain('\u001b[');
  });

  it('has help and completions of its own', async () => {
    const help = await runCommand(parent, ['memory', '--help']);
    expect((await runCommand(parent, ['memory'])).stdout).toBe(help.stdout);
    expect(help.stdout).toMatch(/^ +orchestrate memory forget \[ids\.\.\]/m);
    const one = await runCommand(parent, ['memory', 'pull', '--help']);
    expect(one.stdout).toContain('HF_ENDPOINT=');
    const words = ['--get-yargs-completions', 'orchestrate', 'memory'];
    const names = await runCommand(parent, [...words, 's'], { SHELL: '/bin/bash' });
    expect(names.stdout.split('\n')).toEqual(expect.arrayContaining(['search', 'show', 'stats']));
    const options = await runCommand(parent, [...words, 'search', '--'], { SHELL: '/bin/bash' });
    expect(options.stdout.split('\n')).toEqual(expect.arrayContaining(['--tier', '--scope']));
  });
});

describe('orchestrate memory pull', () => {
  /** A hub that serves the small model, its weights in two halves; the second comes when `open` is called. */
  async function startHub(): Promise<{ endpoint: string; requests: string[]; open: () => void }> {
    const requests: string[] = [];
    let open = (): void => undefined;
    const isOpen = new Promise<void>((resolve) => (open = resolve));
    const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      const { url = '', headers } = request;
      requests.push(`${url} ${headers.range ?? 'whole'}`);
      const content = SMALL_MODEL.files[url.replace('/owner/small/resolve/main/', '')];
      if (content === undefined) {
        response.writeHead(404).end();
        return;
      }
      const from = Number(/^bytes=(\d+)-$/.exec(headers.range ?? '')?.[1] ?? 0);
      const half = from + Math.floor((content.length - from) / 2);
      response.writeHead(from > 0 ? 206 : 200).write(content.slice(from, half));
      await isOpen;
      response.end(content.slice(half));
    };
    const server = createServer((request, response) => void answer(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    return { endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests, open };
  }

  /** A task whose model is the small one, of which there is the manifest only. */
  function newTask(): string {
    const folder = newFolder();
    mkdirSync(join(folder, 'small'));
    const manifest = { ...SMALL_MODEL.manifest, source: 'owner/small' };
    writeFileSync(join(folder, 'small', 'manifest.json'), JSON.stringify(manifest));
    writeFileSync(join(folder, 'task.yaml'), 'memory: { model: small }');
    return folder;
  }

  it('says how far it is, goes on where it was interrupted, and downloads nothing twice', async () => {
    const { endpoint, requests, open } = await startHub();
    const folder = newTask();
    const weights = join(folder, 'small/onnx/model_quantized.onnx');
    const first = startCommand(folder, ['memory', 'pull'], { HF_ENDPOINT: endpoint });
    first.child.stderr?.once('data', () => first.child.kill('SIGINT'));
    const interrupted = await first.ended;
    expect(interrupted.exitCode).toBe(130);
    expect(interrupted.stderr).toMatch(
      /^pulling: 25 % \(8\.0 kB of 16\.0 kB\)\nInterrupted: what came is kept/,
    );
    expect(interrupted.stderr).toContain('`orchestrate memory pull` goes on where it stopped.');
    open();
    const second = await runCommand(folder, ['memory', 'pull'], { HF_ENDPOINT: `${endpoint}/` });
    expect(second.exitCode).toBe(0);
    expect(second.stdout).toMatch(
      /^pulled small@[0-9a-f]{8} to .*small \(16\.0 kB, sizes and SHA-256 verified\)/,
    );
    expect(readFileSync(weights, 'utf8')).toBe(SMALL_MODEL.files['onnx/model_quantized.onnx']);
    expect(requests[1]).toMatch(/model_quantized\.onnx bytes=[1-9]\d*-$/);
    const third = await runCommand(folder, ['memory', 'pull'], { HF_ENDPOINT: endpoint });
    expect(third.stdout).toContain('is whole already');
    truncateSync(weights, 100);
    await runCommand(folder, ['memory', 'pull'], { HF_ENDPOINT: endpoint });
    expect(readFileSync(weights, 'utf8')).toBe(SMALL_MODEL.files['onnx/model_quantized.onnx']);
    expect(requests).toHaveLength(4);
  });

  it('is the only command that asks a hub', async () => {
    const { endpoint, requests } = await startHub();
    const folder = newTask();
    for (const words of [
      ['memory', 'add', 'x'],
      ['memory', 'search', 'x'],
      ['memory', 'reindex'],
      ['doctor'],
    ])
      await runCommand(folder, words, { HF_ENDPOINT: endpoint });
    expect(requests).toEqual([]);
  });

  it('says what to do where nothing can be had', async () => {
    const folder = newTask();
    const { exitCode, stderr } = await runCommand(folder, ['memory', 'pull'], {
      HF_ENDPOINT: 'http://127.0.0.1:1',
    });
    expect(exitCode).toBe(1);
    expect(stderr).toContain('Check the network and HF_ENDPOINT; what came is kept.');
    const manifest = JSON.stringify(SMALL_MODEL.manifest);
    writeFileSync(join(folder, 'small', 'manifest.json'), manifest);
    expect((await runCommand(folder, ['memory', 'pull'])).stderr).toContain('names no `source`');
  });
});

describe('orchestrate doctor', () => {
  it('verifies the model, opens the store, and says how memories are compared', async () => {
    const folder = newFolder();
    const missing = await runCommand(folder, ['doctor']);
    expect(missing.stdout).toMatch(/^ok +memory \S+memory\.db is not there yet/m);
    await runCommand(folder, ['memory', 'add', 'x']);
    const { exitCode, stdout } = await runCommand(folder, ['doctor']);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^ok +memory \S+memory\.db opens: 1 memory in scope "default"$/m);
    expect(stdout).toMatch(
      /^ok +model all-MiniLM-L6-v2@afdb6f1a is whole \(23\.7 MB, sizes and SHA-256 verified\)/m,
    );
    expect(stdout).toMatch(
      /^ok +memories are compared by meaning and shared words \(@\w+\/transformers, 384 dim/m,
    );
  });

  it('finds weights that are cut short before anything loads them, and a store that is corrupt', async () => {
    const folder = newFolder();
    cpSync(MODEL, join(folder, 'model'), { recursive: true });
    truncateSync(join(folder, 'model/onnx/model_quantized.onnx'), 1_000_000);
    writeFileSync(join(folder, 'memory.db'), 'no database '.repeat(99));
    writeFileSync(join(folder, 'task.yaml'), 'memory: { model: model, path: memory.db }');
    const { exitCode, stdout } = await runCommand(folder, ['doctor']);
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(
      /^fail +model of the memory: .*has 1000000 bytes instead of 22972370\n +→ `orchestrate memory pull`/m,
    );
    expect(stdout).toMatch(/^warn +memories are compared by shared words \(Jaccard\): .* is damaged/m);
    expect(stdout).toMatch(/^warn +\S+memory\.db is corrupt .*it is kept as \S+memory\.db\.corrupt-/m);
  });

  it('says that memory is off where it is', async () => {
    const folder = newFolder();
    writeFileSync(join(folder, 'task.yaml'), 'memory: { enabled: false }');
    expect((await runCommand(folder, ['doctor'])).stdout).toMatch(/^ok +memory is off/m);
  });
});

describe('an installation without optional packages', () => {
  it('says what to install where it matters, and only there', async () => {
    const folder = newFolder();
    cpSync(join(ROOT, 'dist'), join(folder, 'dist'), { recursive: true });
    cpSync(join(ROOT, 'package.json'), join(folder, 'package.json'));
    writeSmallModel(folder);
    writeFileSync(join(folder, 'task.yaml'), 'memory: { model: small }');
    const cli = join(folder, 'dist', 'cli.cjs');
    const run = (...words: readonly string[]) => runCommand(folder, words, {}, cli);
    const added = await run('memory', 'add', 'x');
    expect(added.exitCode).toBe(1);
    expect(added.stderr).toMatch(
      /^error: better-sqlite3 cannot be loaded: .*\nInstall better-sqlite3 .*npm install/,
    );
    expect(added.stderr.trim().split('\n')).toHaveLength(2);
    expect(await run('memory', 'list')).toMatchObject({ exitCode: 0, stderr: '' });
    const { stdout } = await run('doctor');
    expect(stdout).toMatch(/^warn +runs remember nothing that lasts: better-sqlite3 cannot be loaded/m);
    expect(stdout).toMatch(/^ok +model small@[0-9a-f]{8} is whole/m);
    expect(stdout).toMatch(
      /^warn +memories are compared by shared words \(Jaccard\): neither .* is installed\n +→ /m,
    );
    writeFileSync(join(folder, 'memory.db'), '');
    const unread = await run('memory', 'list', '--db', 'memory.db');
    expect(unread.exitCode).toBe(1);
    expect(unread.stderr).toContain('npm install better-sqlite3@12');
  });
});
