import { PLAIN_STYLE, type Style } from '../views/style.ts';
import type { Io, OutputStream } from './io.ts';

const CODES = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
} as const;

/** The style of a stream: colours on a terminal, FORCE_COLOR and NO_COLOR honoured, in this order. */
export function createStyle(stream: OutputStream, env: Io['env']): Style {
  if (!hasColours(stream, env)) return PLAIN_STYLE;
  const paint =
    ([on, off]: readonly [number, number]) =>
    (text: string): string =>
      text === '' ? '' : `\u001b[${on}m${text}\u001b[${off}m`;
  return {
    bold: paint(CODES.bold),
    dim: paint(CODES.dim),
    red: paint(CODES.red),
    green: paint(CODES.green),
    yellow: paint(CODES.yellow),
    cyan: paint(CODES.cyan),
  };
}

function hasColours(stream: OutputStream, env: Io['env']): boolean {
  const forced = env['FORCE_COLOR'];
  if (forced !== undefined && forced !== '') return forced !== '0' && forced !== 'false';
  if (env['NO_COLOR']) return false;
  return stream.isTTY === true && env['TERM'] !== 'dumb';
}
