// In the bundle, this stands for `jiti`: it is loaded with the command, and its compiler from a code cache.
'use strict';
const { createRequire } = require('node:module');
// @ts-expect-error -- the bundler knows it: jiti without its compiler, which the package does not export
const createCore = require('jiti/core');
const { loadCached, nativeImport } = require('../load-cached.cjs');

/** @type {((options: object) => { code: string }) | undefined} */
let compile;

/** @param {object} options */
function transform(options) {
  compile ??= /** @type {NonNullable<typeof compile>} */ (loadCached('jiti-babel.cjs'));
  return compile(options);
}

/** @param {unknown} error */
function onError(error) {
  throw error;
}

/**
 * @param {string} id
 * @param {object} [options]
 */
exports.createJiti = (id, options) =>
  createCore(id, { transform, ...options }, { onError, nativeImport, createRequire });
