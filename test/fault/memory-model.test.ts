import { cpSync, existsSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Embedder } from '../../src/contracts/memory.ts';
import { createEmbedder, type EmbedderOptions } from '../../src/memory/embedder.ts';
import { InMemoryStore } from '../../src/memory/in-memory-store.ts';
import { recall } from '../../src/memory/recall.ts';
import { temporaryFolder } from '../support/flight-events.ts';
import { fact } from '../support/memory-entries.ts';
import { writeFakeTransformers, writeSmallModel } from '../support/model-folder.ts';

const MODEL = fileURLToPath(new URL('../../models/all-MiniLM-L6-v2', import.meta.url));

async function openEmbedder(options: EmbedderOptions): Promise<Embedder> {
  const embedder = await createEmbedder(options);
  onTestFinished(() => embedder.close());
  return embedder;
}

/** What a recall says where one memory shares a word with what is asked. */
async function recallOnce(embedder: Embedder): Promise<{ found: number; warnings: readonly string[] }> {
  const store = new InMemoryStore();
  await store.put('s', [{ record: fact('f', 'a shared word') }]);
  const { semantic, warnings } = await recall('another word', { store, scope: 's', embedder });
  return { found: semantic.length, warnings };
}

describe('a model that cannot be had', () => {
  it('because its folder is empty is missing; memories are found by words', async () => {
    const embedder = await openEmbedder({ path: temporaryFolder() });
    await expect(embedder.embed('x')).rejects.toMatchObject({ code: 'weights_missing' });
    const { found, warnings } = await recallOnce(embedder);
    expect(found).toBe(1);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain('by their words');
  });

  it('because it is in no place that is looked at names the places', async () => {
    const [packageFolder, cacheFolder] = [temporaryFolder(), temporaryFolder()];
    const embedder = await openEmbedder({ packageFolder, cacheFolder });
    await expect(embedder.embed('x')).rejects.toThrow(
      `there is no all-MiniLM-L6-v2 in ${join(packageFolder, 'all-MiniLM-L6-v2')} or ${join(cacheFolder, 'all-MiniLM-L6-v2')}`,
    );
  });

  it('because its weights are cut short is damaged, never loaded, and used once it is whole', async () => {
    const cacheFolder = temporaryFolder();
    const folder = join(cacheFolder, 'all-MiniLM-L6-v2');
    cpSync(MODEL, folder, { recursive: true });
    truncateSync(join(folder, 'onnx/model_quantized.onnx'), 1_000_000);
    const embedder = await openEmbedder({
      packageFolder: temporaryFolder(),
      cacheFolder,
      loadTimeoutMs: 60_000,
    });
    for (let attempt = 0; attempt < 3; attempt++) {
      const started = performance.now();
      await expect(embedder.embed('x')).rejects.toMatchObject({ code: 'weights_invalid' });
      expect(performance.now() - started).toBeLessThan(5000);
    }
    await expect(embedder.embed('x')).rejects.toThrow('has 1000000 bytes instead of 22972370');
    cpSync(join(MODEL, 'onnx'), join(folder, 'onnx'), { recursive: true });
    expect((await embedder.embed('x')).vector).toHaveLength(384);
  });

  it('because one byte of it differs is damaged', async () => {
    const folder = join(temporaryFolder(), 'all-MiniLM-L6-v2');
    cpSync(MODEL, folder, { recursive: true });
    const weights = join(folder, 'onnx/model_quantized.onnx');
    const bytes = readFileSync(weights);
    bytes[bytes.length >> 1]! ^= 1;
    writeFileSync(weights, bytes);
    const embedder = await openEmbedder({ path: folder });
    await expect(embedder.embed('x')).rejects.toThrow('has other bytes than it must');
  });

  it('in the package is looked for in the cache too', async () => {
    const packageFolder = temporaryFolder();
    mkdirSync(join(packageFolder, 'all-MiniLM-L6-v2', 'onnx'), { recursive: true });
    writeFileSync(join(packageFolder, 'all-MiniLM-L6-v2', 'onnx', 'model_quantized.onnx'), 'half');
    const cacheFolder = fileURLToPath(new URL('../../models', import.meta.url));
    const embedder = await openEmbedder({ packageFolder, cacheFolder, loadTimeoutMs: 60_000 });
    expect((await embedder.embed('x')).vector).toHaveLength(384);
  });

  it('because its manifest is none is an error from the start', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'manifest.json'), '{"model": 3}');
    await expect(createEmbedder({ path: folder })).rejects.toMatchObject({ code: 'weights_invalid' });
  });

  it.each<[what: string, path: string, message: RegExp]>([
    ['describes other weights than are loaded', 'onnx/model.onnx', /begin with the weights/],
    ['leads out of its folder', '../onnx/model_quantized.onnx', /below the folder/],
    ['leads to a file of the system', '/etc/passwd', /below the folder/],
  ])('because its manifest %s is an error from the start', async (_what, path, message) => {
    const folder = temporaryFolder();
    const files = [{ path, bytes: 1, sha256: 'a'.repeat(64) }];
    writeFileSync(join(folder, 'manifest.json'), JSON.stringify({ model: 'm', dimensions: 4, files }));
    await expect(createEmbedder({ path: folder })).rejects.toThrow(message);
  });
});

describe('a library', () => {
  const GOOD = 'return async () => ({ data: Float32Array.of(1, 0, 0, 0) });';

  async function openWith(pipelineBody: string): Promise<{ embedder: Embedder; loads: () => number }> {
    const root = writeFakeTransformers(temporaryFolder(), pipelineBody);
    const embedder = await openEmbedder({
      path: writeSmallModel(root),
      searchFrom: [root],
      loadTimeoutMs: 3000,
      embedTimeoutMs: 300,
    });
    const loads = (): number => {
      const file = join(root, 'loads');
      return existsSync(file) ? readFileSync(file, 'utf8').split('\n').length - 1 : 0;
    };
    return { embedder, loads };
  }

  it('that works is loaded once', async () => {
    const { embedder, loads } = await openWith(GOOD);
    expect((await embedder.embed('x')).vector).toEqual(Float32Array.of(1, 0, 0, 0));
    await embedder.embed('y');
    expect(loads()).toBe(1);
    expect(embedder.model).toMatch(/^small@[0-9a-f]{8}$/);
  });

  it('that cannot load these bytes is not given them again', async () => {
    const { embedder, loads } = await openWith(`throw new Error('protobuf parsing failed');`);
    for (let attempt = 0; attempt < 3; attempt++) {
      await expect(embedder.embed('x')).rejects.toThrow('cannot load small: protobuf parsing failed');
    }
    expect(loads()).toBe(1);
  });

  it('that hangs while it loads costs its deadline once', async () => {
    const { embedder, loads } = await openWith('for (;;);');
    const started = performance.now();
    await expect(embedder.embed('x')).rejects.toMatchObject({ code: 'timeout' });
    expect(performance.now() - started).toBeGreaterThan(2900);
    const again = performance.now();
    await expect(embedder.embed('x')).rejects.toMatchObject({ code: 'timeout' });
    expect(performance.now() - again).toBeLessThan(2000);
    expect(loads()).toBe(1);
  });

  it('that hangs or dies while it embeds is replaced for the next call', async () => {
    const { embedder, loads } = await openWith(`return async (text) => {
      if (text === 'hang') for (;;);
      if (text === 'die') process.kill(process.pid, 'SIGKILL');
      if (text === 'fail') throw new Error('bad text');
      return { data: Float32Array.of(1, 0, 0, 0) };
    };`);
    const codes: string[] = [];
    for (const text of ['good', 'hang', 'good', 'die', 'good', 'fail', 'good']) {
      const code = await embedder.embed(text).then(
        () => 'ok',
        (error: unknown) => (error as { code: string }).code,
      );
      codes.push(code);
    }
    expect(codes).toEqual(['ok', 'timeout', 'ok', 'embedding_failed', 'ok', 'embedding_failed', 'ok']);
    expect(loads()).toBe(3);
  });

  it('that gives other numbers than the model has is not believed', async () => {
    const { embedder } = await openWith('return async () => ({ data: Float32Array.of(1, 0) });');
    await expect(embedder.embed('x')).rejects.toThrow('small gave 2 numbers instead of 4');
  });

  it('is used no more after it was closed', async () => {
    const { embedder } = await openWith(GOOD);
    await embedder.embed('x');
    await embedder.close();
    await expect(embedder.embed('x')).rejects.toMatchObject({ code: 'embedding_failed' });
  });
});
