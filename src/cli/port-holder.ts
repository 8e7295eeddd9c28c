import { execFile } from 'node:child_process';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { promisify } from 'node:util';

const LISTENING = '0A';
const PATIENCE_MS = 2000;

/** Which process listens at a port of this machine, as `node (pid 12)`; null where that cannot be found out. */
export async function findPortHolder(port: number): Promise<string | null> {
  try {
    return process.platform === 'linux' ? await askKernel(port) : await askLsof(port);
  } catch {
    return null;
  }
}

async function askKernel(port: number): Promise<string | null> {
  const inodes = await listeningInodes(port);
  if (inodes.size === 0) return null;
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    // Other people's processes do not show what they hold.
    const held = await readdir(`/proc/${pid}/fd`).catch(() => []);
    for (const descriptor of held) {
      const target = await readlink(`/proc/${pid}/fd/${descriptor}`).catch(() => '');
      if (!inodes.has(/^socket:\[(\d+)\]$/.exec(target)?.[1] ?? '')) continue;
      const words = (await readFile(`/proc/${pid}/cmdline`, 'utf8'))
        .split('\0')
        .filter((word) => word !== '');
      return `${words.slice(0, 4).join(' ')} (pid ${pid})`;
    }
  }
  return null;
}

async function listeningInodes(port: number): Promise<Set<string>> {
  const wanted = port.toString(16).toUpperCase().padStart(4, '0');
  const inodes = new Set<string>();
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6']) {
    const lines = (await readFile(table, 'utf8').catch(() => '')).split('\n').slice(1);
    for (const line of lines) {
      const [, local = '', , state, , , , , , inode = ''] = line.trim().split(/\s+/);
      if (state === LISTENING && local.endsWith(`:${wanted}`)) inodes.add(inode);
    }
  }
  return inodes;
}

async function askLsof(port: number): Promise<string | null> {
  const options = ['-nP', `-iTCP:${port}`, '-sTCP:LISTEN', '-Fpc'];
  const { stdout } = await promisify(execFile)('lsof', options, { timeout: PATIENCE_MS });
  const pid = /^p(\d+)$/m.exec(stdout)?.[1];
  const name = /^c(.+)$/m.exec(stdout)?.[1];
  return pid === undefined || name === undefined ? null : `${name} (pid ${pid})`;
}
