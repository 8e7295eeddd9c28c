import { describe, expect, it } from 'vitest';
import { ToolError } from '../../../src/kernel/errors.ts';
import { describeThrown, findPosition, toModuleError } from '../../../src/tools/module-error.ts';

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
    ['a URL that is none', 'load (file:///home/u/a%zz/tools.mjs:1:2)'],
    ['a URL of another host', 'load (file://host/home/u/tools.mjs:1:2)'],
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

const TRAP = (): never => {
  throw new Error('trap');
};
const trapped = (target: object): object =>
  new Proxy(target, { get: TRAP, has: TRAP, getPrototypeOf: TRAP, getOwnPropertyDescriptor: TRAP });

function errorWith(fields: PropertyDescriptorMap): Error {
  // The stack first: it is made from name and message when it is first touched.
  return Object.defineProperties(new Error('mine'), { stack: { value: '' }, ...fields });
}

describe('what was thrown', () => {
  it.each<[string, () => unknown, string]>([
    ['a stack of call sites', () => errorWith({ stack: { value: [{}] } }), 'mine'],
    ['a stack that is a number', () => errorWith({ stack: { value: 5 } }), 'mine'],
    ['a stack that cannot be read', () => errorWith({ stack: { get: TRAP } }), 'mine'],
    ['a code that cannot be read', () => errorWith({ code: { get: TRAP } }), 'mine'],
    ['a message that is a number', () => errorWith({ message: { value: 5 } }), '5'],
    ['a message that is an object', () => errorWith({ message: { value: trapped({}) } }), 'Error'],
    ['a message that cannot be read', () => errorWith({ message: { get: TRAP } }), 'Error'],
    [
      'neither message nor name',
      () => errorWith({ message: { get: TRAP }, name: { value: null } }),
      'threw an error without a message',
    ],
    ['a proxy', () => trapped(new Error('hidden')), 'threw an object'],
    ['a proxy of a typed error', () => trapped(new ToolError('POLICY', 'hidden')), 'threw an object'],
    [
      'a typed error whose fields cannot be read',
      () => new Proxy(new ToolError('POLICY', 'hidden'), { get: TRAP }),
      'threw an error without a message',
    ],
    ['an object', () => ({ stack: 5, message: 'mine' }), 'threw an object'],
    ['a function', () => TRAP, 'threw a function'],
    ['null', () => null, 'threw null'],
    ['undefined', () => undefined, 'threw undefined'],
    ['a text', () => 'mine', 'threw "mine"'],
    ['a symbol', () => Symbol('mine'), 'threw a symbol'],
  ])('(%s) is described, whatever it is', (_, make, message) => {
    const thrown = make();
    expect(findPosition(thrown)).toBeUndefined();
    expect(describeThrown(thrown)).toBe(message);
    expect(toModuleError('/home/u/tools.ts', thrown)).toMatchObject({
      code: 'module_failed',
      exitCode: 2,
      message: `/home/u/tools.ts: ${message}`,
    });
  });

  it('keeps code and hint of a typed error', () => {
    const thrown = new ToolError('POLICY', 'not this');
    thrown.stack = 'ToolError: not this';
    expect(toModuleError('/home/u/tools.ts', thrown)).toMatchObject({
      code: 'policy_denied',
      message: '/home/u/tools.ts: not this',
      hint: thrown.hint,
    });
  });
});
