import { describe, expect, it } from 'vitest';
import { reportError } from '../../../src/cli/report-error.ts';
import { OrchestratorError } from '../../../src/kernel/errors.ts';
import { recordIo } from './support.ts';

describe('an error of the table', () => {
  it('is its message and what to do, never a stack', () => {
    const io = recordIo();
    const exitCode = reportError(new OrchestratorError('run_not_found', 'there is no run x'), io, false);
    expect(io.written).toEqual({
      stdout: '',
      stderr: 'error: there is no run x\n`orchestrate runs` lists the runs here.\n',
    });
    expect(exitCode).toBe(2);
  });

  it('shows its stack and cause when debugging', () => {
    const io = recordIo();
    reportError(new OrchestratorError('run_locked', 'held', { cause: new Error('the cause') }), io, true);
    expect(io.written.stderr).toMatch(/^ +at /m);
    expect(io.written.stderr).toContain('caused by: Error: the cause');
  });

  it('shows what can be read of what caused it, whatever that is', () => {
    const io = recordIo();
    const cause: unknown = new Proxy(
      {},
      {
        getPrototypeOf() {
          throw new Error('not to be looked at');
        },
      },
    );
    expect(reportError(new OrchestratorError('run_locked', 'held', { cause }), io, true)).toBe(1);
    expect(io.written.stderr).toMatch(/^error: held\n[^]*caused by: Its stack cannot be read\.\n$/);
  });
});

describe('a defect', () => {
  it.each([
    ['an error', new TypeError('x is undefined\nand more'), 'x is undefined'],
    ['an internal error', new OrchestratorError('internal', 'impossible'), 'impossible'],
    ['a thrown text', 'just text', 'just text'],
  ])('(%s) is one line that asks for a report', (_name, thrown, message) => {
    const io = recordIo();
    expect(reportError(thrown, io, false)).toBe(1);
    expect(io.written.stderr).toBe(
      `unexpected error: ${message} — please report this (--debug shows where)\n`,
    );
  });
});
