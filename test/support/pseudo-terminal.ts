/* The built command in a real pseudo-terminal, which Python's standard library opens; an emulator shows its screen. */
import { spawn, spawnSync } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { openTerminal } from './virtual-terminal.ts';

const CLI = fileURLToPath(new URL('../../dist/cli.cjs', import.meta.url));
const COLUMNS = 100;
const ROWS = 30;

/** Runs a program in a new pseudo-terminal, with its own standard input and output as the other end. */
const RELAY = `import os, pty, sys
status = pty.spawn(sys.argv[1:])
sys.exit(128 + os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status))`;

/** Why no pseudo-terminal can be had here; null where one can. */
export function missingTerminal(): string | null {
  const { status, error } = spawnSync('python3', ['-c', 'import pty']);
  return status === 0 ? null : `no pseudo-terminal: ${error?.message ?? 'this python3 has no module pty'}`;
}

/** The command in a terminal. */
export interface Terminal {
  /** Types text as it is; Enter is `\r`. */
  type(text: string): void;
  /** All that was ever on the screen, rows without their ends. */
  rows(): Promise<string[]>;
  /** Resolves when the rows hold a text so many times; rejects with them where it does not come. */
  sees(text: string, times?: number): Promise<void>;
  /** Resolves with the exit code. */
  readonly ended: Promise<number | null>;
  kill(): void;
}

/** Starts the command in a folder, without colours unless `env` says otherwise. */
export function startInTerminal(
  folder: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = { NO_COLOR: '1' },
): Terminal {
  const terminal = openTerminal(COLUMNS, ROWS);
  const sized = `stty cols ${COLUMNS} rows ${ROWS} && exec "$0" "$@"`;
  const child = spawn('python3', ['-c', RELAY, 'sh', '-c', sized, process.execPath, CLI, ...args], {
    cwd: folder,
    env: {
      ...process.env,
      TERM: 'xterm-256color',
      NO_COLOR: undefined,
      FORCE_COLOR: undefined,
      COLUMNS: undefined,
      ...env,
    },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.on('error', () => undefined);
  child.stdout.setEncoding('utf8').on('data', (text: string) => terminal.stream.write(text));
  let isOver = false;
  const ended = new Promise<number | null>((resolve) => {
    child.once('close', (code) => {
      isOver = true;
      resolve(code);
    });
  });
  const rows = async (): Promise<string[]> => {
    const all = (await terminal.history()).map((row) => row.trimEnd());
    while (all.at(-1) === '') all.pop();
    return all;
  };
  return {
    type: (text) => void child.stdin.write(text),
    rows,
    async sees(text, times = 1) {
      const until = Date.now() + 20_000;
      for (;;) {
        const all = (await rows()).join('\n');
        if (all.split(text).length > times) return;
        if (isOver || Date.now() > until) throw new Error(`${text} does not come:\n${all}`);
        await delay(20);
      }
    },
    ended,
    kill: () => void child.kill('SIGKILL'),
  };
}
