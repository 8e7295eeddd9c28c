/*
 * Programs that a model has chosen, in the real sandbox: what they can reach, and how they end.
 */
import { createServer, type Server } from 'node:http';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import type { AddressInfo } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Json } from '../../src/kernel/json.ts';
import { countProcesses as count } from '../support/family.ts';
import { missingSandbox, openProgramWorld, type ProgramWorld } from '../support/program-call.ts';

const missing = await missingSandbox();

interface Output {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly truncated: boolean;
}

let world: ProgramWorld;
let server: Server;
let secretFolder = '';
let hits = 0;

beforeAll(async () => {
  world = openProgramWorld();
  server = createServer((_request, response) => {
    hits++;
    response.end('reached');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  secretFolder = mkdtempSync(join(homedir(), '.sortie-secret-'));
  writeFileSync(join(secretFolder, 'key'), 'the secret of the home folder');
  process.env['SORTIE_TEST_SECRET'] = 'the secret of the environment';
});

afterAll(async () => {
  await world.close();
  server.close();
  rmSync(secretFolder, { recursive: true });
  rmSync(world.workspace, { recursive: true });
  delete process.env['SORTIE_TEST_SECRET'];
});

const port = (): number => (server.address() as AddressInfo).port;

async function shell(command: string, more: Record<string, Json> = {}): Promise<Output> {
  return (await world.call('shell', { command, allowFailure: true, ...more })) as unknown as Output;
}

describe.skipIf(missing !== null)('a command in the sandbox', { timeout: 60_000 }, () => {
  it('works in the workspace, and gives its outputs and its exit code', async () => {
    writeFileSync(join(world.workspace, 'in.txt'), 'three\nlines\nhere\n');
    const output = await shell('wc -l < in.txt | tr -d " "; echo made > out.txt; echo odd >&2; exit 3');
    expect(output).toEqual({ exitCode: 3, stdout: '3\n', stderr: 'odd\n', truncated: false });
    expect(readFileSync(join(world.workspace, 'out.txt'), 'utf8')).toBe('made\n');
  });

  it('reads what it is given as its input', async () => {
    expect((await shell('tr a-z A-Z', { stdin: 'hello\n' })).stdout).toBe('HELLO\n');
  });

  it('fails its step where its exit code is not 0, with the end of what it said', async () => {
    await expect(
      world.call('shell', { command: 'echo first; echo broken >&2; exit 7' }),
    ).rejects.toMatchObject({
      code: 'tool_failed',
      message: 'the command ended with code 7: broken',
      details: { exitCode: 7, stdout: 'first', stderr: 'broken' },
    });
  });

  it('runs in a folder of the workspace, and in none outside of it', async () => {
    mkdirSync(join(world.workspace, 'below'), { recursive: true });
    symlinkSync('/etc', join(world.workspace, 'led-out'));
    expect((await shell('pwd', { folder: 'below' })).stdout).toBe(`${world.workspace}/below\n`);
    await expect(shell('pwd', { folder: '..' })).rejects.toMatchObject({ code: 'policy_denied' });
    await expect(shell('pwd', { folder: 'led-out' })).rejects.toMatchObject({ code: 'policy_denied' });
    await expect(shell('pwd', { folder: 'in.txt' })).rejects.toMatchObject({ code: 'tool_misuse' });
    await expect(shell('pwd', { folder: 'gone' })).rejects.toMatchObject({ code: 'missing_info' });
  });

  it('reaches no network: neither this machine, nor any other, nor a name', async () => {
    const output = await shell(
      `exec 3<>/dev/tcp/127.0.0.1/${port()} && echo connected; exec 4<>/dev/tcp/1.1.1.1/53 && echo connected; cat /proc/net/route | wc -l`,
    );
    expect(output.stdout.replaceAll(/\s/g, '')).toBe('1');
    expect(hits).toBe(0);
    const python = await shell(
      `/usr/bin/env python3 -c "import urllib.request as u; print(u.urlopen('http://127.0.0.1:${port()}').read())"`,
    );
    expect(python.stdout).toBe('');
    expect(python.exitCode).not.toBe(0);
    expect(hits).toBe(0);
  });

  it('reaches no socket of the system', async () => {
    const output = await shell(
      'ls -d /run /var/run /sys /var /home /root /mnt /srv /opt 2>/dev/null; cat /proc/net/unix | wc -l',
    );
    expect(output.stdout.trim()).toBe('1');
  });

  it('writes nothing outside of the workspace', async () => {
    const outside = join(tmpdir(), `sortie-outside-${process.pid}`);
    const targets = [
      '/usr/bin/x',
      '/etc/x',
      '/x',
      '/dev/x',
      '/proc/sys/kernel/hostname',
      join(homedir(), 'x'),
      '/lib/x',
    ];
    const output = await shell(
      `${targets.map((target) => `{ echo x > '${target}'; } 2>/dev/null && echo "wrote ${target}"`).join('; ')}; echo x > '${outside}'; echo x > ../beside; true`,
    );
    expect(output.stdout).toBe('');
    expect(existsSync(outside)).toBe(false);
    expect(existsSync(join(world.workspace, '../beside'))).toBe(false);
  });

  it('reads no secret: neither of the home folder, nor of the environment, nor of other processes', async () => {
    const output = await shell(
      `cat ${secretFolder}/key; cat ~/.ssh/* ${homedir()}/.* /etc/shadow /etc/passwd; env; ls ${homedir()}; cat /proc/*/environ | tr '\\0' '\\n'; ps aux`,
    );
    const said = `${output.stdout}${output.stderr}`;
    expect(said).not.toContain('the secret of');
    expect(said).not.toContain('root:');
    expect(said).toContain('PATH=/usr/local/sbin');
    expect(
      Object.keys(process.env)
        .filter((name) => said.includes(`\n${name}=`))
        .toSorted(),
    ).toEqual(expect.arrayContaining(['PATH']));
    const names = [...output.stdout.matchAll(/^([A-Z_a-z]+)=/gm)].map(([, name]) => name);
    const known =
      'PATH HOME TMPDIR LANG TERM NO_COLOR PYTHONDONTWRITEBYTECODE PYTHONUNBUFFERED SORTIE_PROCESSES PWD SHLVL _ OLDPWD'.split(
        ' ',
      );
    expect(names.filter((name) => !known.includes(name ?? ''))).toEqual([]);
  });

  it('has no capability and gains none', async () => {
    const output = await shell(
      'grep CapEff /proc/self/status; mount -t tmpfs none /usr; mknod b b 8 0; chroot . true; unshare -Ur true && echo more; true',
    );
    expect(output.stdout).toBe('CapEff:\t0000000000000000\n');
    expect(existsSync(join(world.workspace, 'b'))).toBe(false);
  });

  it('changes neither the history of the workspace nor the record of the run', async () => {
    mkdirSync(join(world.workspace, '.git/hooks'), { recursive: true });
    mkdirSync(join(world.workspace, '.orchestrate/runs'), { recursive: true });
    writeFileSync(join(world.workspace, '.orchestrate/runs/log'), 'what happened');
    const output = await shell(
      'echo evil > .git/hooks/pre-commit; mv .git .old; cat .orchestrate/runs/log; ls -A .orchestrate; echo x > .orchestrate/runs/log; mv .orchestrate .gone; ls -A',
    );
    expect(existsSync(join(world.workspace, '.git/hooks/pre-commit'))).toBe(false);
    expect(readFileSync(join(world.workspace, '.orchestrate/runs/log'), 'utf8')).toBe('what happened');
    expect(output.stdout).not.toContain('what happened');
    expect(existsSync(join(world.workspace, '.gone'))).toBe(false);
    rmSync(join(world.workspace, '.git'), { recursive: true });
    rmSync(join(world.workspace, '.orchestrate'), { recursive: true });
  });

  it('is ended when its time is over, with what it wrote until then', async () => {
    const startedAt = performance.now();
    await expect(
      shell('echo begun; trap "" TERM; while :; do :; done', { timeoutSeconds: 1 }),
    ).rejects.toMatchObject({
      code: 'tool_failed',
      message: 'the command did not end within 1 s and was ended',
      details: { limit: 'time', stdout: 'begun' },
    });
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    expect(world.groups.living).toEqual([]);
  });

  it('is ended where its call is aborted before it has begun', async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const call = world.call(
      'shell',
      { command: 'sleep 600', timeoutSeconds: 600 },
      {
        signal,
        spawn: (request) => {
          controller.abort(new Error('enough'));
          return world.groups.spawn({ cwd: world.workspace, ...request });
        },
      },
    );
    await expect(call).rejects.toThrow('enough');
    expect(world.groups.living).toEqual([]);
  });

  it('is ended by the abort of its call', async () => {
    const controller = new AbortController();
    const running = world.call('shell', { command: 'sleep 60' }, { signal: controller.signal });
    setTimeout(() => controller.abort(new Error('enough')), 300);
    await expect(running).rejects.toThrow('enough');
    expect(world.groups.living).toEqual([]);
  });

  it('is ended where it takes too much memory, by itself or with its children', async () => {
    const eat = 'python3 -c "a=[bytearray(b\'x\'*1000000) for _ in range(5000)]"';
    await expect(shell(eat, { memoryMiB: 64 })).rejects.toMatchObject({
      details: { limit: 'memory' },
      message: 'the command took more than 64 MiB of memory and was ended',
    });
    const each = 'python3 -c "import time; a=bytearray(b\'x\'*40000000); time.sleep(30)" &';
    await expect(shell(`${each.repeat(4)} wait`, { memoryMiB: 100 })).rejects.toMatchObject({
      details: { limit: 'memory' },
    });
    expect(world.groups.living).toEqual([]);
  });

  it('fills neither memory nor disk by way of its folders', async () => {
    const output = await shell(
      'head -c 400M /dev/zero > /tmp/big; head -c 100M /dev/zero > /dev/shm/big; stat -c %s /tmp/big /dev/shm/big',
    );
    const [temporary = 0, shared = 0] = output.stdout.split('\n').map(Number);
    expect(temporary).toBeLessThanOrEqual(256 * 1024 * 1024);
    expect(shared).toBeLessThanOrEqual(64 * 1024 * 1024);
    const file = await shell('ulimit -f; ulimit -c');
    expect(file.stdout.split('\n')[1]).toBe('0');
    expect(file.stdout).not.toContain('unlimited');
  });

  it('takes with it whatever it has left behind, however that has hidden', async () => {
    const mark = `4${String(process.pid).padStart(7, '0')}`;
    await shell(
      `sleep ${mark} & setsid sleep ${mark} & (setsid nohup env -i sleep ${mark} >/dev/null 2>&1 &); disown -a; echo left`,
    );
    expect(count(`sleep ${mark}`)).toBe(0);
  });

  it('keeps the beginning and the end of a flood of output, and no more', async () => {
    const output = await shell(
      'echo first; head -c 50000000 /dev/zero | tr "\\0" x; echo; echo last; yes | head -c 30000000 >&2',
    );
    expect(output.truncated).toBe(true);
    expect(output.stdout.length).toBeLessThan(70_000);
    expect(output.stderr.length).toBeLessThan(70_000);
    expect(output.stdout).toMatch(/^first\nx+\n\[… 4\d+ bytes left out …\]\nx+\nlast\n$/);
  });
});
