// Bundles the script and the style of the run page from src/page/.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Pure code that the page shares hashes nowhere that the page calls: without this, nobody knows that it may go. */
const withoutNode = {
  name: 'without-node',
  /** @param {import('esbuild').PluginBuild} build */
  setup(build) {
    build.onResolve({ filter: /^node:/ }, ({ path }) => ({ path, external: true, sideEffects: false }));
  },
};

/**
 * The script and the style of the page, as they stand in it.
 * @returns {Promise<{ script: string, style: string }>}
 */
export async function bundlePage() {
  const { build } = await import('esbuild');
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: { page: 'src/page/main.ts', style: 'src/page/page.css' },
    outdir: 'page',
    bundle: true,
    write: false,
    metafile: true,
    minify: true,
    platform: 'browser',
    // The first that know light-dark().
    target: ['chrome123', 'firefox120', 'safari17.5'],
    format: 'iife',
    charset: 'utf8',
    plugins: [withoutNode],
    legalComments: 'none',
    logLevel: 'warning',
  });
  const missing = Object.values(metafile.outputs).flatMap(({ imports }) =>
    imports.filter(({ external }) => external),
  );
  if (missing.length > 0)
    throw new Error(
      `the page cannot load ${missing.map(({ path }) => path).join(', ')}: it runs in a browser`,
    );
  const textOf = (/** @type {string} */ ending) =>
    (outputFiles.find(({ path }) => path.endsWith(ending))?.text ?? '').trim();
  return { script: textOf('.js').replaceAll('</script', '<\\/script'), style: textOf('.css') };
}

/**
 * Writes the script and the style of the page into `page/` of a folder.
 * @param {string} outDir
 */
export async function buildPage(outDir) {
  const { script, style } = await bundlePage();
  mkdirSync(join(outDir, 'page'), { recursive: true });
  writeFileSync(join(outDir, 'page', 'page.js'), script);
  writeFileSync(join(outDir, 'page', 'page.css'), style);
}
