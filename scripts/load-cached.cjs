// Built as dist/load-cached.cjs. Loads the large files of the command together with the code that V8 made of them at
// build time, which saves a third of a start.
'use strict';
const { isAscii, transcode } = require('node:buffer');
const { createHash } = require('node:crypto');
const { readFileSync } = require('node:fs');
const Module = require('node:module');
const { join } = require('node:path');
const { Script } = require('node:vm');

const DIGEST = 'sha1';
const DIGEST_BYTES = 20;

/**
 * Every script that was loaded from its cache, by file name; the build makes the next caches from them.
 * @type {Map<string, Script>}
 */
const loadedScripts = new Map();

/**
 * Loads a CommonJS file beside this one, from its code cache where that is whole and of this version of V8. The cache
 * only saves time: without it, the file is loaded as any other.
 * @param {string} name
 * @returns {unknown} what the file exports
 */
function loadCached(name) {
  const file = join(__dirname, name);
  const cachedData = readCache(name);
  if (cachedData === undefined) return require(file);
  const script = compile(name, cachedData);
  loadedScripts.set(name, script);
  const loaded = new Module(file);
  loaded.filename = file;
  const run = script.runInThisContext();
  run.call(loaded.exports, loaded.exports, Module.createRequire(file), loaded, file, __dirname);
  return loaded.exports;
}

/**
 * The script is called by its bare name, which goes into the cache and so may not hold the folder of the build.
 * @param {string} name
 * @param {Buffer} [cachedData]
 */
function compile(name, cachedData) {
  const bytes = readFileSync(join(__dirname, name));
  // Text with letters beyond Latin is decoded twice as fast this way, and text without them at once.
  const source = isAscii(bytes)
    ? bytes.toString('latin1')
    : transcode(bytes, 'utf8', 'utf16le').toString('utf16le');
  return new Script(Module.wrap(source), { filename: name, ...(cachedData && { cachedData }) });
}

/**
 * V8 does not look whether a cache was damaged, and would run what it finds, so its digest stands before it.
 * @param {string} name
 * @returns {Buffer | undefined}
 */
function readCache(name) {
  try {
    const stored = readFileSync(cacheFile(name));
    const cachedData = stored.subarray(DIGEST_BYTES);
    return stored.subarray(0, DIGEST_BYTES).equals(digestOf(cachedData)) ? cachedData : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The cache file of a file, for this version of V8 and this processor.
 * @param {string} name
 */
function cacheFile(name) {
  return join(__dirname, `${name}.${process.versions.v8}-${process.arch}.cache`);
}

/** @param {Buffer} data */
function digestOf(data) {
  return createHash(DIGEST).update(data).digest();
}

/**
 * A script loaded by V8 alone cannot import; this file can.
 * @param {string} specifier
 * @returns {Promise<unknown>}
 */
const nativeImport = (specifier) => import(specifier);

module.exports = { cacheFile, compile, digestOf, loadCached, loadedScripts, nativeImport };
