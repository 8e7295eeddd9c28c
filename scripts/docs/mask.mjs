// What differs from one run of a command to the next though nothing has changed: times, run ids, bars drawn to scale,
// and the order of what runs at the same time.

const DURATION = /<?\d[\d.,]*(?: min \d+)? ?(?:ms|s)\b/g;

/**
 * Whether two outputs of a command say the same: times and the like aside, and in whatever order the lines stand, for
 * what runs at the same time may end in any order.
 * @param {string} one
 * @param {string} other
 */
export function isSameOutput(one, other) {
  const lines = (/** @type {string} */ output) => maskVolatile(output).split('\n').sort().join('\n');
  return lines(one) === lines(other);
}

/**
 * The text with what is never the same twice replaced.
 * @param {string} output
 */
function maskVolatile(output) {
  return (
    output
      .replace(/\b\d{8}-\d{6}-\d{3}-[a-z0-9]{4}\b/g, '<run>')
      .replace(/\b\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}:\d{2}(?:\.\d+)?(?: UTC|Z)?/g, '<time>')
      .replace(/"(at|wallSeconds|startMs|endMs|startedAt)": [^,\n]+/g, '"$1": <time>')
      .replace(/^(# duration_ms|\s*duration_ms:) .*$/gm, '$1 <duration>')
      .replace(DURATION, '<duration>')
      // What runs at the same time takes its place in the log as it ends.
      .replace(/#\d+\b/g, '<event>')
      .replace(/[─┬╌┄]\d*/g, '')
      .replace(/[█▓▒░▏▎▍▌▋▊▉▁▂▃▄▅▆▇#]{2,}|[█▓▒░▁▂▃▄▅▆▇]/g, '<bar>')
      .replace(/(?:<bar>)+/g, '<bar>')
      .replace(/\b\d+ ?%/g, '<share>')
      .replace(/[ \t]+/g, ' ')
      .replace(/ $/gm, '')
  );
}
