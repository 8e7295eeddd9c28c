import { describe, expect, it } from 'vitest';
import type { Embedder, Embedding } from '../../../src/contracts/memory.ts';
import { withDeadline } from '../../../src/memory/embed-deadline.ts';

const vector: Embedding = { model: 'm', vector: Float32Array.of(1) };
const embedder = (embed: Embedder['embed']): Embedder => ({
  ...{ model: 'm', dimensions: 1, embed, close: () => Promise.resolve() },
});

describe('an embedder with a deadline', () => {
  it('gives what comes in time', async () => {
    const quick = withDeadline(
      embedder(() => Promise.resolve(vector)),
      () => 10_000,
    );
    expect(await quick.embed('moss')).toBe(vector);
  });

  it('does not wait longer, and lets what it does go on', async () => {
    let finish: (embedding: Embedding) => void = () => undefined;
    const loading = new Promise<Embedding>((resolve) => {
      finish = resolve;
    });
    const slow = withDeadline(
      embedder(() => loading),
      () => 5,
    );
    await expect(slow.embed('moss')).rejects.toMatchObject({ code: 'timeout' });
    finish(vector);
    expect(await slow.embed('moss')).toBe(vector);
  });

  it('is not asked where no time is left', async () => {
    let calls = 0;
    const spent = withDeadline(
      embedder(() => Promise.resolve(vector).finally(() => calls++)),
      () => 0,
    );
    await expect(spent.embed('moss')).rejects.toMatchObject({ code: 'timeout' });
    expect(calls).toBe(0);
  });

  it('hands on what the embedder throws', async () => {
    const broken = withDeadline(
      embedder(() => Promise.reject(new Error('no model'))),
      () => 10_000,
    );
    await expect(broken.embed('moss')).rejects.toThrow('no model');
  });
});
