// Run by the build with the folder of the built command: writes the code caches that load-cached.cjs reads. What they
// hold is what a run compiles, so one is made here; how it ends does not matter.
'use strict';
const { mkdtempSync, rmSync, writeFileSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');

const [, , folder = '', task = ''] = process.argv;
/** @type {typeof import('./load-cached.cjs')} */
const { cacheFile, compile, digestOf, loadCached, loadedScripts } = require(join(folder, 'load-cached.cjs'));

/**
 * @param {string} name
 * @param {import('node:vm').Script} script
 */
function writeCache(name, script) {
  const cachedData = script.createCachedData();
  writeFileSync(cacheFile(name), Buffer.concat([digestOf(cachedData), cachedData]));
}

for (const name of ['cli-main.cjs', 'jiti-babel.cjs']) {
  writeCache(name, compile(name));
}

// A new temporary folder has jiti compile the modules of the task, as at their first run.
const temporary = mkdtempSync(join(tmpdir(), 'sortie-build-'));
process.env['TMPDIR'] = temporary;
process.on('exit', () => {
  for (const [name, script] of loadedScripts) writeCache(name, script);
  rmSync(temporary, { recursive: true, force: true });
  process.exitCode = 0;
});
process.argv.splice(1, Infinity, join(folder, 'cli.cjs'), 'run', task, '--runs-folder', temporary);
loadCached('cli-main.cjs');
