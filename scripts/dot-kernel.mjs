// Assembles src/memory/dot-kernel.wat into src/memory/dot-kernel.ts; a test says when they differ.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import loadWabt from 'wabt';

const source = fileURLToPath(new URL('../src/memory/dot-kernel.wat', import.meta.url));
const wabt = await loadWabt();
const module = wabt.parseWat('dot-kernel.wat', readFileSync(source, 'utf8'), { simd: true });
const { buffer } = module.toBinary({});
writeFileSync(
  source.replace(/wat$/, 'ts'),
  `/** The WebAssembly of dot-kernel.wat in base64, assembled by scripts/dot-kernel.mjs. */
export const DOT_KERNEL =
  '${Buffer.from(buffer).toString('base64')}';
`,
);
