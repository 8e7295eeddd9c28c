import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { findModel } from '../../src/memory/model-files.ts';
import { pullModel, type PullOptions, type PullProgress } from '../../src/memory/pull-model.ts';
import { temporaryFolder } from '../support/flight-events.ts';
import { SMALL_MODEL, writeSmallModel } from '../support/model-folder.ts';

const { manifest, files } = SMALL_MODEL;
const WEIGHTS = files['onnx/model_quantized.onnx'] ?? '';

type Handle = (request: IncomingMessage, response: ServerResponse, content: string) => void;

/** A hub that serves the small model; what it was asked for stands in `requests`. */
async function startHub(handle: Handle = answer): Promise<{ endpoint: string; requests: string[] }> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    const { url = '', headers } = request;
    requests.push(`${url}${headers.range === undefined ? '' : ` ${headers.range}`}`);
    const content = files[url.replace('/small/resolve/main/', '')];
    if (content === undefined) response.writeHead(404).end();
    else handle(request, response, content);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

function answer(request: IncomingMessage, response: ServerResponse, content: string): void {
  const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
  response.writeHead(from > 0 ? 206 : 200).end(content.slice(from));
}

function pull(endpoint: string, cacheFolder: string, options: PullOptions = {}): Promise<string> {
  return pullModel({ manifest, endpoint, cacheFolder, packageFolder: temporaryFolder(), ...options });
}

describe('pulling a model', () => {
  it('gets each file, checks it, and tells how far it is', async () => {
    const { endpoint, requests } = await startHub();
    const cacheFolder = temporaryFolder();
    const seen: PullProgress[] = [];
    const folder = await pull(`${endpoint}/`, cacheFolder, { onProgress: (progress) => seen.push(progress) });
    expect(folder).toBe(join(cacheFolder, 'small'));
    expect(await findModel([folder], manifest)).toBe(folder);
    const total = WEIGHTS.length + 2;
    expect(seen.at(-1)).toEqual({ file: 'tokenizer.json', receivedBytes: total, totalBytes: total });
    const received = seen.map(({ receivedBytes }) => receivedBytes);
    expect(received).toEqual(received.toSorted((a, b) => a - b));
    expect(await pull(endpoint, cacheFolder)).toBe(folder);
    expect(requests).toHaveLength(2);
  });

  it('goes on where it stopped', async () => {
    let isBroken = true;
    const { endpoint, requests } = await startHub((request, response, content) => {
      if (!isBroken) {
        answer(request, response, content);
        return;
      }
      response.writeHead(200, { 'content-length': content.length });
      response.write(content.slice(0, 6000));
      // What was sent is to arrive first.
      setTimeout(() => response.destroy(), 200);
    });
    const cacheFolder = temporaryFolder();
    await expect(pull(endpoint, cacheFolder)).rejects.toMatchObject({ code: 'download_failed' });
    expect(existsSync(join(cacheFolder, 'small/onnx/model_quantized.onnx'))).toBe(false);
    isBroken = false;
    const folder = await pull(endpoint, cacheFolder);
    expect(readFileSync(join(folder, 'onnx/model_quantized.onnx'), 'utf8')).toBe(WEIGHTS);
    expect(requests[1]).toMatch(/onnx bytes=[1-9]\d*-$/);
  });

  it('has kept what it has told of, whenever it is interrupted', async () => {
    const { endpoint } = await startHub((_request, response, content) => {
      response.write(content.slice(0, 6000));
    });
    const cacheFolder = temporaryFolder();
    const interrupt = new AbortController();
    let told = 0;
    const onProgress = ({ receivedBytes }: PullProgress): void => {
      told = receivedBytes;
      interrupt.abort();
    };
    await expect(pull(endpoint, cacheFolder, { onProgress, signal: interrupt.signal })).rejects.toMatchObject(
      { code: 'aborted' },
    );
    expect(told).toBeGreaterThan(0);
    expect(readFileSync(join(cacheFolder, 'small/onnx/model_quantized.onnx.part'))).toHaveLength(told);
  });

  it('starts over where the hub does not go on', async () => {
    const { endpoint } = await startHub((_request, response, content) => void response.end(content));
    const cacheFolder = temporaryFolder();
    const folder = await pull(endpoint, cacheFolder);
    const weights = join(folder, 'onnx/model_quantized.onnx');
    rmSync(weights);
    writeFileSync(`${weights}.part`, 'x'.repeat(500));
    await pull(endpoint, cacheFolder);
    expect(readFileSync(weights, 'utf8')).toBe(WEIGHTS);
  });

  it.each([
    ['other bytes', WEIGHTS.replace('w', 'W'), 'weights_invalid'],
    ['too many bytes', `${WEIGHTS}!`, 'download_failed'],
    ['too few bytes', WEIGHTS.slice(1), 'download_failed'],
  ])('accepts no file of %s', async (_name, content, code) => {
    const { endpoint } = await startHub((_request, response) => void response.end(content));
    const cacheFolder = temporaryFolder();
    await expect(pull(endpoint, cacheFolder)).rejects.toMatchObject({ code });
    await expect(findModel([join(cacheFolder, 'small')], manifest)).rejects.toMatchObject({
      code: 'weights_missing',
    });
    // The next attempt is not spoilt by what came.
    const good = await startHub();
    expect(await pull(good.endpoint, cacheFolder)).toBe(join(cacheFolder, 'small'));
  });

  it('replaces a damaged file and copies what the package holds', async () => {
    const { endpoint, requests } = await startHub();
    const packageFolder = temporaryFolder();
    const packaged = writeSmallModel(packageFolder);
    rmSync(join(packaged, 'onnx'), { recursive: true });
    const cacheFolder = temporaryFolder();
    const folder = await pull(endpoint, cacheFolder, { packageFolder });
    writeFileSync(join(folder, 'onnx/model_quantized.onnx'), 'cut');
    await pull(endpoint, cacheFolder, { packageFolder });
    expect(await findModel([folder], manifest)).toBe(folder);
    expect(requests).toHaveLength(2);
    expect(requests.every((url) => url.endsWith('.onnx'))).toBe(true);
  });

  it('says what failed: no server, no such file, an end', async () => {
    const { endpoint } = await startHub((_request, response) => void response.writeHead(503).end());
    await expect(pull(endpoint, temporaryFolder())).rejects.toThrow('HTTP 503');
    await expect(pull('http://127.0.0.1:1', temporaryFolder())).rejects.toMatchObject({
      code: 'download_failed',
    });
    const controller = new AbortController();
    const slow = await startHub((_request, response) => {
      response.write('weights ', () => controller.abort());
    });
    await expect(pull(slow.endpoint, temporaryFolder(), { signal: controller.signal })).rejects.toMatchObject(
      {
        code: 'aborted',
      },
    );
    await expect(pull(slow.endpoint, temporaryFolder(), { signal: controller.signal })).rejects.toMatchObject(
      {
        code: 'aborted',
      },
    );
  });

  it('honours HF_ENDPOINT', async () => {
    const { endpoint, requests } = await startHub();
    vi.stubEnv('HF_ENDPOINT', endpoint);
    onTestFinished(() => {
      vi.unstubAllEnvs();
    });
    await pullModel({ manifest, cacheFolder: temporaryFolder(), packageFolder: temporaryFolder() });
    expect(requests[0]).toBe('/small/resolve/main/onnx/model_quantized.onnx');
  });
});
