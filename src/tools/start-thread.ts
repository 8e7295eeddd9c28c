import { createRequire } from 'node:module';
import { Worker, type WorkerOptions } from 'node:worker_threads';

/** TypeScript sources need a loader; built code does not. Compiling packages, too, would only take time. */
const BOOT = `
const { workerData: { entry, jiti, packages } } = require('node:worker_threads');
if (entry.endsWith('.ts')) require(jiti).createJiti(entry, { nativeModules: packages }).import(entry);
else import(entry);
`;

/** A module that runs in threads, and what it is given. */
export interface ThreadModule {
  /** Its path below this folder, without its ending. */
  readonly module: string;
  /** Packages that it imports, which are not compiled. */
  readonly packages: readonly string[];
  readonly data: object;
}

/** Starts a thread with a module of this folder, which finds the data among its `workerData`. */
export function startThread(
  { module, packages, data }: ThreadModule,
  options: Pick<WorkerOptions, 'resourceLimits' | 'env'> = {},
): Worker {
  const jiti = createRequire(import.meta.url).resolve('jiti');
  const entry = entryUrl(module).href;
  return new Worker(BOOT, { eval: true, workerData: { ...data, entry, jiti, packages }, ...options });
}

/** The module lies below this one's folder in the sources and in the library, and in `tools/` beside the bundle. */
function entryUrl(module: string): URL {
  const here = import.meta.url;
  if (here.endsWith('.ts')) return new URL(`./${module}.ts`, here);
  return new URL(`./${here.endsWith('.cjs') ? 'tools/' : ''}${module}.js`, here);
}
