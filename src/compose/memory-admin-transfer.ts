import { randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { realpath, rename, rm, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { MemoryStore } from '../contracts/memory.ts';
import { OrchestratorError } from '../kernel/errors.ts';
import { exportMemories, importMemories, type MemoryImport } from '../memory/transfer.ts';

/** A memory with its vector takes a few kilobytes. */
const MOST_LINE_CHARS = 1 << 20;

/** How many memories were exported, and in how many something was masked. */
export interface MemoryExport {
  readonly exported: number;
  readonly masked: number;
}

/** Writes the memories of a scope as lines of JSON, without anything that looks like a credential. */
export async function exportToLines(
  store: MemoryStore,
  scope: string,
  write: (lines: AsyncIterable<string>) => Promise<void>,
): Promise<MemoryExport> {
  const counts = { exported: 0, masked: 0 };
  const count = async function* (): AsyncGenerator<string> {
    for await (const { text, isMasked } of exportMemories(store, scope)) {
      counts.exported += 1;
      counts.masked += isMasked ? 1 : 0;
      yield `${text}\n`;
    }
  };
  await write(count());
  return counts;
}

/**
 * Writes lines to a file, in place of what it held, which stays until all of them are written. Throws `usage` where it
 * cannot be written, or where it is the file of the memories themselves.
 */
export async function writeLines(
  file: string,
  lines: AsyncIterable<string>,
  { memoryPath }: { readonly memoryPath: string },
): Promise<void> {
  const target = await realpath(file).catch(() => resolve(file));
  const kept = await realpath(memoryPath).catch(() => resolve(memoryPath));
  if (['', '-wal', '-shm'].some((suffix) => target === kept + suffix)) {
    throw new OrchestratorError('usage', `${file} holds the memories themselves`, {
      hint: 'Name another file.',
    });
  }
  const found = await stat(target).catch(() => undefined);
  const isReplaced = found === undefined || found.isFile();
  const part = isReplaced ? `${target}.${randomUUID()}.part` : target;
  try {
    await pipeline(Readable.from(lines), createWriteStream(part, { mode: 0o600 }));
    if (isReplaced) await rename(part, target);
  } catch (error) {
    if (isReplaced) await rm(part, { force: true });
    if (error instanceof OrchestratorError) throw error;
    throw new OrchestratorError('usage', `${file}: cannot be written (${describe(error)})`, {
      hint: 'Name another file.',
      cause: error,
    });
  }
}

/** Takes memories in from a file of such lines, or from a stream; throws `usage` where it cannot be read. */
export async function importFromLines(
  store: MemoryStore,
  scope: string,
  source: { readonly name: string; readonly stream?: NodeJS.ReadableStream },
  options: { readonly isReplacing: boolean },
): Promise<MemoryImport> {
  const lines = readLines(source.stream ?? createReadStream(source.name), source.name);
  return importMemories(store, scope, lines, options);
}

async function* readLines(stream: NodeJS.ReadableStream, name: string): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  let line = 1;
  try {
    for await (const chunk of stream) {
      const lines = (
        rest + (typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true }))
      ).split('\n');
      rest = lines.pop() ?? '';
      for (const text of lines) {
        yield text;
        line += 1;
      }
      if (rest.length > MOST_LINE_CHARS) throw new Error(`line ${line} is longer than 1 MiB`);
    }
  } catch (error) {
    if (error instanceof OrchestratorError) throw error;
    throw new OrchestratorError('usage', `${name}: cannot be read (${describe(error)})`, {
      hint: '`orchestrate memory export --out FILE` writes such a file.',
      cause: error,
    });
  }
  if (rest !== '') yield rest;
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
