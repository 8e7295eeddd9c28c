import type { Style } from '../views/style.ts';
import { type Io, widthOf } from './io.ts';
import { createStyle } from './style.ts';

/** How a table is laid out on the standard output: as wide as the terminal, or as it needs to be where there is none. */
export function tableOptions({ stdout, env }: Io): { readonly style: Style; readonly width: number } {
  return { style: createStyle(stdout, env), width: stdout.isTTY === true ? widthOf(stdout, env) : Infinity };
}
