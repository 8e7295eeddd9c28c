import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { OrchestratorError } from '../kernel/errors.ts';

/** What the packages that run models load: nothing else would be what was checked. */
const WEIGHTS = 'onnx/model_quantized.onnx';

const fileSchema = z.strictObject({
  path: z
    .string()
    .regex(
      /^(?!.*(?:^|\/)\.{1,2}(?:\/|$))[\w.-]+(?:\/[\w.-]+)*$/,
      'must be a path below the folder, with slashes',
    ),
  bytes: z.int().positive(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});

const manifestSchema = z.strictObject({
  /** Names the weights; the name of the folder that holds them. */
  model: z.string().min(1),
  dimensions: z.int().min(1).max(4096),
  /** The repository on the hub that serves the files. */
  source: z.string().optional(),
  files: z
    .array(fileSchema)
    .min(1)
    .refine((files) => files[0]?.path === WEIGHTS, `must begin with the weights, ${WEIGHTS}`),
});

/** A file of a model as it must be. */
export type ModelFile = z.infer<typeof fileSchema>;

/** What a model is: its name, its dimensions and each of its files by size and SHA-256. */
export type ModelManifest = z.infer<typeof manifestSchema>;

/** The model that comes with the package: the 8-bit weights of all-MiniLM-L6-v2. */
export const MINI_LM: ModelManifest = {
  model: 'all-MiniLM-L6-v2',
  dimensions: 384,
  source: 'Xenova/all-MiniLM-L6-v2',
  files: [
    {
      path: WEIGHTS,
      bytes: 22_972_370,
      sha256: 'afdb6f1a0e45b715d0bb9b11772f032c399babd23bfc31fed1c170afc848bdb1',
    },
    {
      path: 'tokenizer.json',
      bytes: 711_661,
      sha256: 'da0e79933b9ed51798a3ae27893d3c5fa4a201126cef75586296df9b4d2c62a0',
    },
    {
      path: 'tokenizer_config.json',
      bytes: 350,
      sha256: 'acb92769e8195aabd29b7b2137a9e6d6e25c476a4f15aa4355c233426c61576b',
    },
    {
      path: 'special_tokens_map.json',
      bytes: 112,
      sha256: '303df45a03609e4ead04bc3dc1536d0ab19b5358db685b6f3da123d05ec200e3',
    },
    {
      path: 'config.json',
      bytes: 612,
      sha256: '953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41',
    },
  ],
};

/** The name that vectors of a model carry: that of the model and the start of the digest of its weights. */
export function vectorModel({ model, files }: ModelManifest): string {
  return `${model}@${files[0]?.sha256.slice(0, 8) ?? ''}`;
}

/** What a folder says that it holds (`manifest.json`); without that file it must be MiniLM. Throws `weights_invalid`. */
export async function readManifest(folder: string): Promise<ModelManifest> {
  const path = join(folder, 'manifest.json');
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch {
    return MINI_LM;
  }
  try {
    return manifestSchema.parse(JSON.parse(text));
  } catch (error) {
    const reason = error instanceof z.ZodError ? z.prettifyError(error) : String(error);
    throw new OrchestratorError('weights_invalid', `${path} describes no model: ${reason}`, {
      details: { path },
      hint: 'Correct the manifest, or remove it where the folder holds all-MiniLM-L6-v2.',
      cause: error,
    });
  }
}
