import type { Embedder, Embedding } from '../contracts/memory.ts';
import { OrchestratorError } from '../kernel/errors.ts';

/**
 * An embedder of which nobody waits longer than `leftMs` says when a text is given to it. What it does then goes on, so
 * that a model which was loading serves the next text.
 */
export function withDeadline(embedder: Embedder, leftMs: () => number): Embedder {
  return {
    model: embedder.model,
    dimensions: embedder.dimensions,
    embed: (text) => race(embedder, text, leftMs()),
    close: () => embedder.close(),
  };
}

async function race(embedder: Embedder, text: string, leftMs: number): Promise<Embedding> {
  if (leftMs <= 0) throw tooLate(leftMs);
  let timer: NodeJS.Timeout | undefined;
  const expired = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(tooLate(leftMs)), leftMs);
  });
  try {
    return await Promise.race([embedder.embed(text), expired]);
  } finally {
    clearTimeout(timer);
  }
}

function tooLate(leftMs: number): OrchestratorError {
  return new OrchestratorError('timeout', `the model gave no vector within ${Math.max(0, leftMs)} ms`, {
    blame: 'system',
    hint: 'Memories are found by their words meanwhile.',
  });
}
