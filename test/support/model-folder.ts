import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ModelManifest } from '../../src/memory/model-manifest.ts';

/** A model of two small files, for what needs no real one. */
export const SMALL_MODEL = describeModel('small', {
  'onnx/model_quantized.onnx': 'weights '.repeat(2000),
  'tokenizer.json': '{}',
});

/** A manifest with the files that it describes. */
export interface SmallModel {
  readonly manifest: ModelManifest;
  readonly files: Readonly<Record<string, string>>;
}

function describeModel(model: string, files: Record<string, string>): SmallModel {
  const described = Object.entries(files).map(([path, content]) => ({
    path,
    bytes: Buffer.byteLength(content),
    sha256: createHash('sha256').update(content).digest('hex'),
  }));
  return { manifest: { model, dimensions: 4, files: described }, files };
}

/** Writes the model into a folder of its own in `root`, with its manifest beside it. */
export function writeSmallModel(root: string): string {
  const folder = join(root, SMALL_MODEL.manifest.model);
  writeFiles(folder, { ...SMALL_MODEL.files, 'manifest.json': JSON.stringify(SMALL_MODEL.manifest) });
  return folder;
}

/**
 * Writes a package that passes for transformers.js into `root` and returns `root`, to be searched from. It appends a
 * line to `root/loads` each time that it is asked for a model.
 */
export function writeFakeTransformers(root: string, pipelineBody: string): string {
  writeFiles(join(root, 'node_modules', '@huggingface', 'transformers'), {
    'package.json': JSON.stringify({ name: '@huggingface/transformers', type: 'module', main: 'index.js' }),
    'index.js': `
import { appendFileSync } from 'node:fs';
export const env = {};
export const pipeline = async () => {
  appendFileSync(${JSON.stringify(join(root, 'loads'))}, 'load\\n');
  ${pipelineBody}
};
`,
  });
  return root;
}

function writeFiles(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
}
