// What differs from one run of a command to the next though nothing has changed: times, run ids, bars drawn to scale.

const DURATION = /\d[\d.,]*(?: min \d+)? ?(?:ms|s)\b/g;

/**
 * The text with what is never the same twice replaced, so that two outputs of an unchanged command are equal.
 * @param {string} output
 */
export function maskVolatile(output) {
  return output
    .replace(/\b\d{8}-\d{6}-\d{3}-[a-z0-9]{4}\b/g, '<run>')
    .replace(/\b\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}:\d{2}(?:\.\d+)?(?: UTC|Z)?/g, '<time>')
    .replace(/"(at|wallSeconds|startMs|endMs|startedAt)": [^,\n]+/g, '"$1": <time>')
    .replace(/^(# duration_ms|\s*duration_ms:) .*$/gm, '$1 <duration>')
    .replace(DURATION, '<duration>')
    .replace(/[─┬╌┄]\d*/g, '')
    .replace(/[█▓▒░▏▎▍▌▋▊▉#]{2,}|[█▓▒░]/g, '<bar>')
    .replace(/(?:<bar>)+/g, '<bar>')
    .replace(/\b\d+ ?%/g, '<share>')
    .replace(/[ \t]+/g, ' ')
    .replace(/ $/gm, '');
}
