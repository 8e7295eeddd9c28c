import { describe, expect, it } from 'vitest';
import { canRedraw } from '../../../src/cli/io.ts';
import { createStyle } from '../../../src/cli/style.ts';

const stream = (isTTY: boolean) => ({ isTTY, write: () => true });
const RED = '\u001b[31mx\u001b[39m';

describe('the style', () => {
  it.each([
    ['a terminal', true, {}, RED],
    ['a pipe', false, {}, 'x'],
    ['a terminal with NO_COLOR', true, { NO_COLOR: '1' }, 'x'],
    ['a terminal with an empty NO_COLOR', true, { NO_COLOR: '' }, RED],
    ['a pipe with FORCE_COLOR', false, { FORCE_COLOR: '1' }, RED],
    ['a terminal with FORCE_COLOR=0', true, { FORCE_COLOR: '0' }, 'x'],
    ['both, FORCE_COLOR first', false, { FORCE_COLOR: '1', NO_COLOR: '1' }, RED],
    ['a dumb terminal', true, { TERM: 'dumb' }, 'x'],
  ])('%s', (_name, isTTY, env, expected) => {
    expect(createStyle(stream(isTTY), env).red('x')).toBe(expected);
  });

  it('paints no empty text', () => {
    expect(createStyle(stream(true), {}).red('')).toBe('');
  });
});

describe('redrawing', () => {
  it('needs a terminal that is not dumb, and no NO_COLOR', () => {
    expect(canRedraw(stream(true), {})).toBe(true);
    expect(canRedraw(stream(false), {})).toBe(false);
    expect(canRedraw(stream(true), { NO_COLOR: '1' })).toBe(false);
    expect(canRedraw(stream(true), { TERM: 'dumb' })).toBe(false);
  });
});
