// In the bundle, yargs gets this for `string-width`, which compiles patterns of all emoji when it is loaded.
'use strict';

const PLAIN = /^[\x20-\x7e]*$/;

/**
 * @param {unknown} text
 * @param {object} [options]
 * @returns {number} the columns that a text takes on a terminal
 */
module.exports = function stringWidth(text, options) {
  if (typeof text === 'string' && PLAIN.test(text)) return text.length;
  // @ts-expect-error -- the bundler knows it
  const { default: measure } = require('yargs/string-width');
  return measure(text, options);
};
