#!/usr/bin/env node
// Built as dist/cli.cjs. Answers a bare help or version request from a file written at build time,
// so that it costs no more than starting Node; everything else loads the command itself.
'use strict';
const fs = require('node:fs');

/**
 * @param {string[]} args
 * @returns {string | undefined}
 */
function preRendered(args) {
  if (args.length > 1) return undefined;
  const [arg] = args;
  if (arg === undefined || arg === '--help' || arg === '-h')
    return fs.readFileSync(`${__dirname}/help.txt`, 'utf8');
  if (arg === '--version') return fs.readFileSync(`${__dirname}/version.txt`, 'utf8');
  return undefined;
}

const text = preRendered(process.argv.slice(2));
if (text === undefined) {
  // @ts-expect-error -- only Node >= 22.8 has it; it keeps the compiled bundle between starts
  require('node:module').enableCompileCache?.();
  require('./load-cached.cjs').loadCached('cli-main.cjs');
} else {
  process.stdout.write(text);
}
