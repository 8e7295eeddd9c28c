import { setTimeout as delay } from 'node:timers/promises';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import type { ChildGroup } from '../../contracts/process.ts';
import { LineBuffer } from './line-buffer.ts';

const STDERR_TAIL_CHARS = 2000;
const STOP_GRACE_MS = 1000;

/** What the protocol needs of a server that runs as a group of processes: a line is a message. */
export class ProcessTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: NonNullable<Transport['onmessage']>;
  readonly #start: () => Promise<ChildGroup>;
  readonly #lines = new LineBuffer();
  #group: ChildGroup | null = null;
  #stderr = '';
  #isClosed = false;
  /** How it ended, for people; null while it lives. */
  ending: string | null = null;

  /** `start` is called once, when the connection begins. */
  constructor(start: () => Promise<ChildGroup>) {
    this.#start = start;
  }

  /** The end of what the server has printed for people. */
  get stderrTail(): string {
    return this.#stderr.trim();
  }

  async start(): Promise<void> {
    const group = await this.#start();
    this.#group = group;
    group.stdout.on('data', (chunk: Buffer) => {
      this.#read(chunk);
    });
    group.stderr.on('data', (chunk: Buffer) => {
      this.#stderr = (this.#stderr + chunk.toString('utf8')).slice(-STDERR_TAIL_CHARS);
    });
    for (const stream of [group.stdout, group.stderr]) stream.on('error', () => undefined);
    void group.ended.then(({ code, signal }) => {
      this.ending ??= `it ended with ${signal ?? `exit code ${String(code)}`}`;
      this.#close();
    });
    if (this.#isClosed) await group.stop(0);
  }

  send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#group?.stdin;
    if (this.#isClosed || stdin === undefined || stdin === null) {
      return Promise.reject(new Error(this.ending ?? 'the server is not there'));
    }
    return new Promise((resolve, reject) => {
      stdin.write(`${JSON.stringify(message)}\n`, (error) => {
        if (error === null || error === undefined) resolve();
        else void this.#refuse(error, reject);
      });
    });
  }

  /** One that does not read any more has ended, as a rule: how it did says more than its pipe. */
  async #refuse(error: Error, reject: (reason: Error) => void): Promise<void> {
    await Promise.race([this.#group?.ended, delay(STOP_GRACE_MS, undefined, { ref: false })]);
    reject(new Error(this.ending ?? error.message, { cause: error }));
  }

  /** Ends the server with all that it has started; resolves when they are gone. */
  async close(): Promise<void> {
    this.#close();
    const group = this.#group;
    if (group === null) return;
    group.stdin?.end();
    await group.stop(STOP_GRACE_MS);
  }

  #read(chunk: Buffer): void {
    if (this.#isClosed) return;
    let lines: string[];
    try {
      lines = this.#lines.push(chunk);
    } catch (error) {
      this.ending = error instanceof Error ? error.message : String(error);
      this.#close();
      void this.#group?.stop(0);
      return;
    }
    for (const line of lines) this.#deliver(line);
  }

  #deliver(line: string): void {
    let message: unknown;
    try {
      message = JSON.parse(line);
    } catch {
      // Noise that looked like a message.
      return;
    }
    if ((message as { jsonrpc?: unknown }).jsonrpc !== '2.0') return;
    try {
      this.onmessage?.(message as JSONRPCMessage);
    } catch (error) {
      this.onerror?.(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.onclose?.();
  }
}
