import type { StdioServer } from '../../contracts/mcp.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** What every program may need, and holds no secret. */
const INHERITED = [
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'TERM', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR'],
  ...[
    'APPDATA',
    'LOCALAPPDATA',
    'USERPROFILE',
    'SYSTEMROOT',
    'SYSTEMDRIVE',
    'TEMP',
    'TMP',
    'PATHEXT',
    'COMSPEC',
  ],
  // So that whoever ends the processes around this one finds the server too.
  'SORTIE_PROCESSES',
];

/** The environment of a server: the variables that every program needs, and those that the task names. */
export function serverEnvironment({ env, passEnv }: StdioServer, outer: Environment): Record<string, string> {
  const passed = [...INHERITED, ...passEnv].flatMap((name) => {
    const value = outer[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(passed), ...env };
}
