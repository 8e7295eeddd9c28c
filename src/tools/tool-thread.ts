import type { Worker } from 'node:worker_threads';
import type { ToolContext } from '../contracts/tool.ts';
import { OrchestratorError } from '../kernel/errors.ts';
import type { Json } from '../kernel/json.ts';
import {
  settle,
  type ThreadInput,
  type ThreadOutput,
  type ThreadSettings,
  unwrap,
} from './isolate-messages.ts';
import { startThread } from './start-thread.ts';

interface Call {
  readonly id: number;
  readonly context: ToolContext;
  resolve(value: Json): void;
  reject(reason: unknown): void;
}

/**
 * A worker thread that runs one tool, one call at a time. A call whose signal is aborted ends with the signal's
 * reason, and the thread with it, whatever its code is doing; so does a thread that dies by itself.
 */
export class ToolThread {
  readonly #worker: Worker;
  readonly #tool: string;
  #call: Call | undefined;
  #calls = 0;
  #isAlive = true;

  constructor(settings: ThreadSettings) {
    this.#tool = settings.tool;
    this.#worker = startThread({ module: 'isolate-worker', packages: ['zod'], data: settings });
    this.#worker.on('message', (output: ThreadOutput) => this.#receive(output));
    this.#worker.on('error', (error) => this.#die(error instanceof Error ? error.message : String(error)));
    this.#worker.on('exit', (code) => this.#die(`it exited with code ${code}`));
  }

  /** False once the thread can take no more calls. */
  get isAlive(): boolean {
    return this.#isAlive;
  }

  /** The tool's result; rejects with what the tool threw, or the reason of the abort. */
  async call(args: Json, context: ToolContext): Promise<Json> {
    const { signal } = context;
    signal.throwIfAborted();
    const id = ++this.#calls;
    const abort = (): void => {
      this.#call?.reject(signal.reason);
      this.end();
    };
    signal.addEventListener('abort', abort, { once: true });
    this.#worker.ref();
    try {
      return await new Promise<Json>((resolve, reject) => {
        this.#call = { id, context, resolve, reject };
        const { key, idempotencyKey, workspace, trace } = context;
        this.#send({ type: 'call', call: id, args, key, idempotencyKey, workspace, trace });
      });
    } finally {
      this.#call = undefined;
      signal.removeEventListener('abort', abort);
      // An idle thread must not keep the process alive.
      this.#worker.unref();
    }
  }

  /** Ends the thread at once, in the middle of whatever it runs. */
  end(): void {
    this.#isAlive = false;
    void this.#worker.terminate();
  }

  #send(input: ThreadInput): void {
    this.#worker.postMessage(input);
  }

  #receive(output: ThreadOutput): void {
    const call = this.#call;
    // What a tool left running may still speak after its call ended; nobody listens.
    if (call === undefined || call.id !== output.call) return;
    switch (output.type) {
      case 'log':
        call.context.log(output.message);
        return;
      case 'ask':
        void this.#answer(call, output);
        return;
      case 'ended':
        try {
          call.resolve(unwrap(output));
        } catch (error) {
          call.reject(error);
        }
    }
  }

  async #answer(call: Call, { ask, role, request }: Extract<ThreadOutput, { type: 'ask' }>): Promise<void> {
    this.#send({ type: 'answer', ask, ...(await settle(call.context.ask(role, request))) });
  }

  #die(reason: string): void {
    this.#isAlive = false;
    this.#call?.reject(
      new OrchestratorError('tool_failed', `the thread of tool "${this.#tool}" ended: ${reason}`, {
        details: { tool: this.#tool },
      }),
    );
  }
}
