import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { ToolError } from '../../kernel/errors.ts';

const MAX_PATTERN_CHARS = 1000;
const MAX_MATCHED_CHARS = 1024 * 1024;

/** How long a pattern may take for one text. */
const TIME_LIMIT_MS = 2000;

/** What a pattern found: where, and the groups, the whole match first; null is a group that took no part. */
export interface RegexMatch {
  readonly index: number;
  readonly groups: readonly (string | null)[];
  readonly named: Readonly<Record<string, string | null>>;
}

/** Matches found in one text. */
export interface RegexMatches {
  readonly matches: readonly RegexMatch[];
  /** Whether there was more than was asked for or than may be handed over. */
  readonly isCut: boolean;
}

/** Runs in the thread, as plain JavaScript without a module of its own. */
const THREAD = `
const { parentPort, workerData } = require('node:worker_threads');
const { pattern, flags, maxChars } = workerData;
parentPort.on('message', ({ text, max }) => {
  try {
    const regex = new RegExp(pattern, flags);
    const matches = [];
    let chars = 0;
    let isCut = false;
    for (let match = regex.exec(text); match !== null; match = regex.exec(text)) {
      const groups = Array.from(match, (group) => group ?? null);
      for (const group of groups) chars += group === null ? 0 : group.length;
      if (matches.length >= max || chars > maxChars) { isCut = true; break; }
      const named = Object.entries(match.groups ?? {}).map(([name, group]) => [name, group ?? null]);
      matches.push({ index: match.index, groups, named: Object.fromEntries(named) });
      if (match[0] === '') regex.lastIndex += regex.unicode && text.codePointAt(regex.lastIndex) > 0xffff ? 2 : 1;
    }
    parentPort.postMessage({ matches, isCut });
  } catch (error) {
    parentPort.postMessage({ error: error.message });
  }
});
`;

/**
 * A regular expression (flags: u and g, with what is given) that runs in a thread of its own, which is ended where a
 * pattern takes too long for a text: patterns come from models, and some never end.
 */
export class RegexThread {
  readonly #worker: Worker;
  readonly #isOnline: Promise<unknown>;

  /** Throws a ToolError of class TOOL_MISUSE where the pattern is none. */
  constructor(pattern: string, flags = '') {
    if (pattern.length > MAX_PATTERN_CHARS) {
      throw new ToolError('TOOL_MISUSE', `the pattern is longer than ${MAX_PATTERN_CHARS} characters`);
    }
    const all = `gu${flags}`;
    refuseUnreadable(pattern, all);
    this.#worker = new Worker(THREAD, {
      eval: true,
      workerData: { pattern, flags: all, maxChars: MAX_MATCHED_CHARS },
      resourceLimits: { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 },
      env: {},
    });
    this.#worker.unref();
    this.#isOnline = once(this.#worker, 'online');
    // Whoever waits for it is told; nobody may.
    this.#isOnline.catch(() => undefined);
  }

  /** The matches in a text, at most `max`; throws a ToolError where they cannot be found in time. One text at a time. */
  async findAll(text: string, max: number, signal: AbortSignal): Promise<RegexMatches> {
    signal.throwIfAborted();
    const worker = this.#worker;
    const ended = new AbortController();
    const until = { signal: ended.signal };
    try {
      // What it takes to start a thread is no fault of the pattern.
      await Promise.race([this.#isOnline, rejectAtAbort(signal, ended.signal)]);
      const answer = Promise.race([
        once(worker, 'message', until),
        once(worker, 'exit', until).then(() => Promise.reject(misuse('ended its thread'))),
        rejectAfter(TIME_LIMIT_MS, ended.signal),
        rejectAtAbort(signal, ended.signal),
      ]);
      worker.postMessage({ text, max });
      const [found] = (await answer) as [RegexMatches | { readonly error: string }];
      if ('error' in found) throw misuse(`cannot be used: ${found.error}`);
      return found;
    } catch (error) {
      await this.close();
      if (signal.aborted || error instanceof ToolError) throw error;
      throw misuse('needs too much memory for this text');
    } finally {
      ended.abort();
    }
  }

  /** Ends the thread, whatever it does. */
  async close(): Promise<void> {
    await this.#worker.terminate();
  }
}

/** Rejects with the reason of an abort, until `until` says that nobody waits for it any more. */
function rejectAtAbort(signal: AbortSignal, until: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    signal.addEventListener('abort', abort, { once: true });
    until.addEventListener('abort', () => signal.removeEventListener('abort', abort), { once: true });
  });
}

function rejectAfter(limitMs: number, until: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const timer = setTimeout(() => {
      reject(misuse(`takes more than ${limitMs} ms for this text; write a simpler one`));
    }, limitMs);
    until.addEventListener('abort', () => clearTimeout(timer), { once: true });
  });
}

function misuse(fault: string): ToolError {
  return new ToolError('TOOL_MISUSE', `the pattern ${fault}`);
}

function refuseUnreadable(pattern: string, flags: string): void {
  try {
    new RegExp(pattern, flags);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ToolError('TOOL_MISUSE', `the pattern is no regular expression: ${reason}`, {
      details: { pattern },
    });
  }
}
