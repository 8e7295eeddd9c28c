/* A run that is watched in a real terminal, at which a person types. */
import { afterEach, describe, expect, it } from 'vitest';
import { missingTerminal, startInTerminal, type Terminal } from '../support/pseudo-terminal.ts';
import { SCRIPTED, temporaryFolder } from './command.ts';

const missing = missingTerminal();
if (missing !== null) console.warn(missing);

const folder = temporaryFolder();
const open: Terminal[] = [];

/** A run whose first step takes so long, and whose second asks first where it is told to. */
function watch(waitMs: number, last = 'say'): Terminal {
  const nodes = [
    { id: 'slow', tool: 'wait', args: { text: String(waitMs) } },
    { id: 'report', tool: last, args: { text: 'all is well' }, deps: ['slow'] },
  ];
  const plan = JSON.stringify({ nodes, output: 'report' });
  const terminal = startInTerminal(folder, ['run', SCRIPTED, `--input=plan=${plan}`], {});
  open.push(terminal);
  return terminal;
}

afterEach(() => {
  for (const terminal of open.splice(0)) terminal.kill();
});

const pictures = (rows: readonly string[]): string[] => rows.filter((row) => row.includes('  pressure '));

describe.skipIf(missing !== null)('orchestrate run in a terminal', () => {
  it('is not disturbed by what is typed, and asks its question all the same', async () => {
    const terminal = watch(3000, 'erase');
    await terminal.sees('slow wait');
    terminal.type('\r\ryes\r');
    await terminal.sees('2.');
    expect(pictures(await terminal.rows())).toHaveLength(1);
    await terminal.sees('report wants to call erase');
    expect(pictures(await terminal.rows())).toEqual([]);
    await terminal.sees('Allow it? [y/N]');
    await new Promise((resolve) => setTimeout(resolve, 300));
    terminal.type('y\r');
    expect(await terminal.ended).toBe(0);
    const rows = (await terminal.rows()).join('\n');
    expect(rows).toContain('Allow it? [y/N] y');
    expect(rows).toContain('erased all is well');
    expect(rows).not.toMatch(/^yes$|pressure {2}|├─/m);
  }, 60_000);

  it('is interrupted by Ctrl-C', async () => {
    const terminal = watch(30_000);
    await terminal.sees('slow wait');
    terminal.type('\r\u0003');
    expect(await terminal.ended).toBe(130);
    expect((await terminal.rows()).join('\n')).toContain('interrupted — ended early; it can be resumed');
  }, 60_000);
});
