// Runs the embedder's contract once more, with the maintained line of transformers.js, which is not installed for
// development (475 MB).
import { runWithPackages } from './run-with-packages.mjs';

process.exitCode = runWithPackages({
  packages: ['@huggingface/transformers@^4.3.2'],
  // Otherwise its runtime downloads the CUDA libraries.
  npmrc: 'onnxruntime-node-install=skip\n',
  variable: 'SORTIE_TRANSFORMERS_FROM',
  project: 'contract',
  test: 'test/contract/memory-embedder.test.ts',
});
