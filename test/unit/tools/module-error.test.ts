import { describe, expect, it } from 'vitest';
import { findPosition } from '../../../src/tools/module-error.ts';

function thrownAt(...frames: readonly string[]): Error {
  const error = new Error('no key');
  error.stack = ['Error: no key', ...frames.map((frame) => `    at ${frame}`)].join('\n');
  return error;
}

describe('findPosition', () => {
  it.each([
    ['a call', 'load (/home/u/tools.ts:7:104)', '/home/u/tools.ts:7'],
    ['the top of a module', '/home/u/tools.ts:8:31', '/home/u/tools.ts:8'],
    ['a method by another name', 'Object.run [as go] (/home/u/tools.ts:8:31)', '/home/u/tools.ts:8'],
    ['what goes on later', 'async /home/u/tools.ts:8:31', '/home/u/tools.ts:8'],
    ['a folder with spaces', 'load (/home/u/my tasks/tools.ts:7:9)', '/home/u/my tasks/tools.ts:7'],
    ['a folder with parentheses', '/home/u/tasks (2)/tools.ts:7:9', '/home/u/tasks (2)/tools.ts:7'],
    ['a URL', 'async file:///home/u/my%20tasks/tools.mjs:7:9', '/home/u/my tasks/tools.mjs:7'],
  ])('is that of %s', (_, frame, position) => {
    expect(findPosition(thrownAt(frame))).toBe(position);
  });

  it.each([
    ['Node itself', 'process.exit (node:internal/process/per_thread:184:15)'],
    ['a package', 'parse (/home/u/node_modules/parser/index.js:1:9)'],
    ['this program', `load (${import.meta.dirname.replace(/test\/unit.*/, 'src/tools/load.ts')}:1:9)`],
    ['generated code', 'eval (eval at run (/home/u/node_modules/p/index.js:1:2), <anonymous>:1:1)'],
    ['nothing', 'Promise.all (index 0)'],
  ])('is not that of %s', (_, frame) => {
    expect(findPosition(thrownAt(frame))).toBeUndefined();
    expect(findPosition(thrownAt(frame, 'run (/home/u/tools.ts:3:1)'))).toBe('/home/u/tools.ts:3');
  });

  it('counts the columns of what cannot be read from 1', () => {
    const error = new Error('ParseError: Unexpected token  \n /home/u/my tasks/tools.ts:2:17');
    expect(findPosition(error)).toBe('/home/u/my tasks/tools.ts:2:18');
  });

  it('takes no path of a message for the place', () => {
    const error = thrownAt('load (/home/u/tools.ts:7:104)');
    error.message = 'bad row in\n/home/u/data.csv:3:4';
    expect(findPosition(error)).toBe('/home/u/tools.ts:7');
  });
});
