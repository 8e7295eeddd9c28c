import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);
const here = fileURLToPath(new URL('.', import.meta.url));

/** The folder of the installed jiti, whose parts its package does not export. */
export const jitiFolder = dirname(require.resolve('jiti/package.json'));

const ORIGINAL = Symbol('original');

/** @typedef {import('esbuild').Plugin} Plugin */

/**
 * Packages that the bundled command takes in a form of its own, which starts sooner and does the same.
 * @type {Plugin}
 */
export const bundleAliases = {
  name: 'bundle-aliases',
  setup(build) {
    const aliases = join(here, 'bundle-aliases');
    build.onResolve({ filter: /^(?:jiti|string-width)$/ }, ({ path, pluginData }) =>
      pluginData === ORIGINAL ? undefined : { path: join(aliases, `${path}.cjs`) },
    );
    // How the aliases ask for what they stand for.
    build.onResolve({ filter: /^jiti\/core$/ }, () => ({ path: join(jitiFolder, 'dist', 'jiti.cjs') }));
    build.onResolve({ filter: /^yargs\/string-width$/ }, ({ kind }) => {
      const resolveDir = dirname(require.resolve('yargs'));
      return build.resolve('string-width', { resolveDir, kind, pluginData: ORIGINAL });
    });
    build.onResolve({ filter: /^\.\.\/load-cached\.cjs$/ }, () => ({
      path: './load-cached.cjs',
      external: true,
    }));
  },
};

/**
 * Plugins of jiti's compiler for what few modules hold, and without which the rest compile a quarter sooner: decorators,
 * `import.meta` and `using`. None of them can be written without these characters.
 */
const SELDOM = [
  [
    'c.plugins.unshift([h],[t.A,{legacy:!0}]),c.plugins.push(u(),s.A)',
    'r.source.includes("@")&&(c.plugins.unshift([h],[t.A,{legacy:!0}]),c.plugins.push(u())),c.plugins.push(s.A)',
  ],
  [
    '[importMetaPathsPlugin,{filename:r.filename}],[importMetaEnvPlugin],[importMetaResolvePlugin],[n.A],[a.A],[o.A]]',
    '...r.source.includes("meta")?[[importMetaPathsPlugin,{filename:r.filename}],[importMetaEnvPlugin],[importMetaResolvePlugin]]:[],[n.A],[a.A],...r.source.includes("using")?[[o.A]]:[]]',
  ],
];

/**
 * The compiler of jiti, which passes over what a module has no use for; throws where it is not the one that is known.
 * @param {string} source
 */
export function lightenCompiler(source) {
  return SELDOM.reduce((text, [all = '', needed = '']) => {
    const parts = text.split(all);
    if (parts.length !== 2) throw new Error(`jiti's compiler has changed: look for ${all}`);
    return parts.join(needed);
  }, source);
}
