import { randomUUID } from 'node:crypto';
import { mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { connect } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { OrchestratorError } from '../kernel/errors.ts';
import { redactText } from '../kernel/redact-secrets.ts';
import { countOf } from './count-of.ts';
import type { Io } from './io.ts';

/** What was looked at, how it stands, and what to do where it does not stand well. */
export interface Finding {
  readonly level: 'ok' | 'warn' | 'fail';
  readonly what: string;
  readonly advice?: string;
}

/** Whether this Node is new enough (20.19). */
export function checkNode(version: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return { level: 'ok', what: `node ${version}` };
  return { level: 'fail', what: `node ${version} is too old`, advice: 'Install Node 20.19 or newer.' };
}

/** Whether runs can be written; a folder that is not there yet is not left behind. */
export async function checkRunsFolder(folder: string): Promise<Finding> {
  const existing = await nearestExisting(resolve(folder));
  const probe = join(existing, `.doctor-${randomUUID()}`);
  try {
    await mkdir(probe);
    await writeFile(join(probe, 'file'), 'x');
    const note = existing === resolve(folder) ? '' : ' (will be made)';
    return { level: 'ok', what: `runs folder ${folder} can be written${note}` };
  } catch (error) {
    return {
      level: 'fail',
      what: `runs folder ${folder} cannot be written: ${describe(error)}`,
      advice: 'Correct its owner and mode, or name another with --runs-folder.',
    };
  } finally {
    await rm(probe, { recursive: true, force: true }).catch(() => undefined);
  }
}

async function nearestExisting(path: string): Promise<string> {
  const isThere = await stat(path).then(
    () => true,
    (error: unknown) => (error as NodeJS.ErrnoException).code !== 'ENOENT',
  );
  return isThere || path === dirname(path) ? path : nearestExisting(dirname(path));
}

/** Whether a task file loads with its tools and provider. */
export async function checkTask(file: string | undefined, env: Io['env']): Promise<Finding> {
  if (file === undefined) {
    return {
      level: 'warn',
      what: 'no task file to load',
      advice: 'Name one: `orchestrate doctor task.yaml`, or write one: `orchestrate init`.',
    };
  }
  try {
    const { prepare } = await import('../compose.ts');
    const { task, catalogue } = await prepare({ task: file, env });
    return { level: 'ok', what: `task ${task.name} loads with ${countOf(catalogue.tools.length, 'tool')}` };
  } catch (error) {
    if (!(error instanceof OrchestratorError)) throw error;
    return { level: 'fail', what: `${file} does not load: ${error.message}`, advice: error.hint };
  }
}

/** Packages that are loaded only when something needs them. */
const PACKAGES: readonly { readonly name: string; readonly use: string }[] = [
  { name: 'jiti', use: 'tools and providers written in TypeScript' },
  { name: '@opentelemetry/exporter-trace-otlp-proto', use: 'sending spans with --otlp' },
];

/** Which of the packages that are loaded on demand are installed. */
export function checkPackages(): Finding[] {
  const require = createRequire(import.meta.url);
  return PACKAGES.map(({ name, use }): Finding => {
    try {
      require.resolve(name);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'MODULE_NOT_FOUND') {
        return {
          level: 'warn',
          what: `package ${name} is missing`,
          advice: `Needed for ${use}: npm install ${name}`,
        };
      }
    }
    return { level: 'ok', what: `package ${name} (${use})` };
  });
}

/** Whether something listens where spans are to be sent. */
export async function checkCollector(endpoint: string | undefined): Promise<Finding> {
  if (endpoint === undefined) return { level: 'ok', what: 'tracing is off (no OTLP endpoint is set)' };
  const shown = redactText(endpoint);
  if (!URL.canParse(endpoint)) {
    return {
      level: 'fail',
      what: `the OTLP endpoint ${shown} is no URL`,
      advice: 'Such as http://localhost:4318.',
    };
  }
  const url = new URL(endpoint);
  const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port);
  const problem = await tryToConnect(url.hostname.replace(/^\[|\]$/g, ''), port);
  if (problem === null) return { level: 'ok', what: `the OTLP endpoint ${shown} is reachable` };
  return {
    level: 'warn',
    what: `the OTLP endpoint ${shown} is not reachable: ${problem}`,
    advice: 'Runs go on without it; start the collector or unset the variable.',
  };
}

function tryToConnect(host: string, port: number): Promise<string | null> {
  return new Promise((resolvePromise) => {
    const socket = connect({ host, port, timeout: 2000 });
    const end = (problem: string | null): void => {
      socket.destroy();
      resolvePromise(problem);
    };
    socket.once('connect', () => end(null));
    socket.once('timeout', () => end('no answer within 2 s'));
    socket.once('error', (error) => end(describe(error)));
  });
}

function describe(error: unknown): string {
  return error instanceof Error
    ? error.message || ((error as NodeJS.ErrnoException).code ?? error.name)
    : String(error);
}
