// The built library, which the reference pages are generated from. Imported only after the build.
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';

/**
 * A module of dist/, such as `kernel/errors.js`.
 * @param {string} root
 * @param {string} path
 * @returns {Promise<any>}
 */
export async function importBuilt(root, path) {
  return import(pathToFileURL(join(root, 'dist', path)).href);
}
