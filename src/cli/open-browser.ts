import { spawn } from 'node:child_process';
import type { Io } from './io.ts';

/** How long the program that opens a page is given to say that it cannot. */
const PATIENCE_MS = 1500;

/** Opens a page in the person's browser; answers whether something took it. `BROWSER` names another program. */
export function openBrowser(address: string, io: Io): Promise<boolean> {
  const [program, ...words] = browserCommand(io);
  if (program === undefined) return Promise.resolve(false);
  return new Promise((resolve) => {
    const child = spawn(program, [...words, address], { detached: true, stdio: 'ignore' });
    const timer = setTimeout(() => resolve(true), PATIENCE_MS);
    const end = (isOpen: boolean): void => {
      clearTimeout(timer);
      resolve(isOpen);
    };
    child.once('error', () => end(false));
    child.once('exit', (code) => end(code === 0));
    child.unref();
  });
}

/** The program of this system that opens an address; none where nobody would see the page. */
function browserCommand({ env }: Io): readonly string[] {
  const named = env['BROWSER'];
  if (named === 'none') return [];
  if (named !== undefined && named !== '') return [named];
  switch (process.platform) {
    case 'darwin':
      return ['open'];
    case 'win32':
      return ['explorer.exe'];
    case 'aix':
    case 'android':
    case 'freebsd':
    case 'haiku':
    case 'linux':
    case 'openbsd':
    case 'sunos':
    case 'cygwin':
    case 'netbsd':
      return env['DISPLAY'] === undefined && env['WAYLAND_DISPLAY'] === undefined ? [] : ['xdg-open'];
  }
}
