// Runs in a process of its own: loads one model, then embeds one text after the other.
import type { EmbedInput, EmbedOutput, LoadMessage } from './embed-messages.ts';

type Extract = (
  text: string,
  options: { readonly pooling: 'mean'; readonly normalize: true },
) => Promise<{ readonly data: Float32Array }>;

/** The part of the packages that is used here. */
interface Transformers {
  readonly env: { allowRemoteModels: boolean; localModelPath: string; useFSCache: boolean };
  readonly pipeline: (task: 'feature-extraction', model: string, options: object) => Promise<Extract>;
}

let extract: Extract | undefined;

function tell(output: EmbedOutput): void {
  process.send?.(output);
}

async function load({ library, isOldLine, root, model }: LoadMessage): Promise<void> {
  // What is imported from a CommonJS package may stand under `default` only.
  const loaded = (await import(library)) as Partial<Transformers> & { readonly default?: Transformers };
  const { env = loaded.default?.env, pipeline = loaded.default?.pipeline } = loaded;
  if (env === undefined || pipeline === undefined) throw new Error(`${library} has no pipelines`);
  env.allowRemoteModels = false;
  env.localModelPath = root;
  env.useFSCache = false;
  extract = await pipeline('feature-extraction', model, {
    local_files_only: true,
    ...(isOldLine ? { quantized: true } : { dtype: 'q8', device: 'cpu' }),
  });
}

async function receive(input: EmbedInput): Promise<void> {
  try {
    if (input.type === 'load') {
      await load(input);
      tell({ type: 'loaded' });
    } else {
      const output = await extract?.(input.text, { pooling: 'mean', normalize: true });
      if (output === undefined) throw new Error('no model is loaded');
      tell({ type: 'embedded', call: input.call, vector: Float32Array.from(output.data) });
    }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    tell(
      input.type === 'load'
        ? { type: 'load-failed', message }
        : { type: 'failed', call: input.call, message },
    );
  }
}

process.on('message', (input: EmbedInput) => void receive(input));
// The process that asked is gone.
process.on('disconnect', () => process.exit());
