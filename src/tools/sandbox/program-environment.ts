import { tmpdir } from 'node:os';

const SYSTEM_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** The whole environment of a program that a model has written or chosen: nothing of this process but where programs are. */
export function programEnvironment(
  isConfined: boolean,
  path: string = process.env['PATH'] ?? SYSTEM_PATH,
): Record<string, string> {
  const home = isConfined ? '/tmp' : tmpdir();
  return {
    PATH: isConfined ? SYSTEM_PATH : path,
    HOME: home,
    TMPDIR: home,
    LANG: 'C.UTF-8',
    TERM: 'dumb',
    NO_COLOR: '1',
    PYTHONDONTWRITEBYTECODE: '1',
    PYTHONUNBUFFERED: '1',
  };
}
