import { type ChildProcess, spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import type { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { type FailureClass, OrchestratorError } from '../kernel/errors.ts';
import type { EmbedInput, EmbedOutput, LoadMessage } from './embed-messages.ts';

/** TypeScript sources need the loader; built code does not. The packages that run models are never compiled. */
const BOOT = `
const [entry, jiti] = process.argv.slice(1);
const nativeModules = ['@huggingface/transformers', '@xenova/transformers'];
if (entry.endsWith('.ts')) require(jiti).createJiti(entry, { nativeModules }).import(entry);
else import(entry);
`;

const KEPT_ERROR_CHARS = 2000;

/** A call that waits for its answer. */
interface Pending {
  resolve(output: EmbedOutput): void;
  reject(reason: Error): void;
}

/**
 * A process that runs a model, one call at a time. A call that outlives its deadline ends with it, and so does the
 * process, whatever its native code does. A thread would not do: the older runtime can be loaded by only one
 * thread of a process, ever, and a failed load can spoil it for the whole process.
 */
export class EmbedProcess {
  readonly #child: ChildProcess;
  #pending: Pending | undefined;
  #errors = '';
  #calls = 0;
  #isAlive = true;

  constructor() {
    const require = createRequire(import.meta.url);
    const entry = entryUrl();
    const jiti = entry.endsWith('.ts') ? [require.resolve('jiti')] : [];
    this.#child = spawn(process.execPath, ['-e', BOOT, entry, ...jiti], {
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      serialization: 'advanced',
      windowsHide: true,
    });
    this.#child.on('message', (output) => this.#pending?.resolve(output as EmbedOutput));
    this.#child.on('error', (error) => this.#die(error.message));
    this.#child.on('exit', (code, signal) => this.#die(`it exited with ${signal ?? `code ${code ?? '?'}`}`));
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#errors = (this.#errors + text).slice(-KEPT_ERROR_CHARS);
    });
    // An idle process must not keep this one alive.
    this.#child.unref();
    (this.#child.stderr as Socket | null)?.unref();
    this.#child.channel?.unref();
  }

  /** False once the process can take no more calls. */
  get isAlive(): boolean {
    return this.#isAlive;
  }

  /** Loads a model; throws `timeout` at the deadline, `embedding_failed` otherwise, and ends the process with both. */
  async load(message: LoadMessage, timeoutMs: number): Promise<void> {
    const output = await this.#ask(message, timeoutMs);
    if (output.type === 'loaded') return;
    this.end();
    throw failed(
      `cannot load ${message.model}: ${'message' in output ? output.message : output.type}`,
      'PERMANENT',
    );
  }

  /** The vector of a text; throws `timeout` at the deadline, which ends the process, else `embedding_failed`. */
  async embed(text: string, timeoutMs: number): Promise<Float32Array> {
    const call = ++this.#calls;
    const output = await this.#ask({ type: 'embed', call, text }, timeoutMs);
    if (output.type === 'embedded' && output.call === call) return output.vector;
    throw failed(`cannot embed a text: ${'message' in output ? output.message : output.type}`);
  }

  /** Ends the process at once. */
  end(): void {
    this.#isAlive = false;
    this.#child.kill('SIGKILL');
  }

  async #ask(input: EmbedInput, timeoutMs: number): Promise<EmbedOutput> {
    if (!this.#isAlive) throw failed('the process that embeds has ended');
    this.#child.channel?.ref();
    let timer: NodeJS.Timeout | undefined;
    try {
      return await new Promise<EmbedOutput>((resolve, reject) => {
        this.#pending = { resolve, reject };
        timer = setTimeout(() => {
          this.end();
          reject(
            new OrchestratorError('timeout', `embedding took longer than ${timeoutMs} ms`, {
              blame: 'system',
              hint: 'Memories are found by their words meanwhile.',
            }),
          );
        }, timeoutMs);
        this.#child.send(input, (error) => {
          if (error !== null) this.#die(error.message);
        });
      });
    } finally {
      clearTimeout(timer);
      this.#pending = undefined;
      this.#child.channel?.unref();
    }
  }

  #die(reason: string): void {
    this.#isAlive = false;
    const said = this.#errors.trim().split('\n').at(-1) ?? '';
    this.#pending?.reject(
      failed(`the process that embeds has ended: ${reason}${said === '' ? '' : ` (${said})`}`),
    );
  }
}

/** The process's module lies beside this one in the sources and in the library, in `memory/` beside the bundle. */
function entryUrl(): string {
  const here = import.meta.url;
  if (here.endsWith('.ts')) return fileURLToPath(new URL('./embed-process-main.ts', here));
  return new URL(here.endsWith('.cjs') ? './memory/embed-process-main.js' : './embed-process-main.js', here)
    .href;
}

function failed(message: string, retry: FailureClass = 'TRANSIENT'): OrchestratorError {
  return new OrchestratorError('embedding_failed', message, { retry });
}
