/* Whoever drops, swaps or edits any one event of a finished log is found out, his own checksum made to fit or not. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { replay } from '../../src/engine/replay.ts';
import { CHAIN_START, expectedSum, lineSum } from '../../src/flight/codec.ts';
import { readLog } from '../../src/flight/read-log.ts';
import { GOLDEN, readSources } from './golden-logs.ts';

const SUM = /"sum":"[0-9a-f]{32}"\}$/;

/** How a log is found to be another than it was: the lines are refused, the end is missing, or it was decided otherwise. */
async function findTampering(
  lines: readonly string[],
): Promise<'refused' | 'unfinished' | 'diverged' | null> {
  const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''));
  try {
    const { events } = await readLog(bytes, {
      file: 'log',
      readBlob: () => Promise.reject(new Error('no blobs')),
    });
    const { divergence, isComplete } = replay(events);
    return divergence !== null ? 'diverged' : isComplete ? null : 'unfinished';
  } catch {
    return 'refused';
  }
}

/** The line under a checksum that fits it and the line before it. */
function resealed(line: string, before: string | undefined): string {
  const sum = expectedSum(line, before === undefined ? CHAIN_START : lineSum(before));
  return line.replace(SUM, `"sum":"${sum}"}`);
}

/** Edits of a line that leave it whole: of its time, of a text in it, of a digit of its checksum. */
function editsOf(line: string): string[] {
  return [
    line.replace(/"at":(\d)/, (_, digit: string) => `"at":${(Number(digit) % 9) + 1}`),
    line.replace(/"type":"([a-z]+)\./, '"type":"$1x.'),
    line.replace(/[0-9a-f]"\}$/, (end) => (end.startsWith('0') ? '1"}' : '0"}')),
  ];
}

describe.each(Object.keys(readSources()))('of golden log %s', (file) => {
  const lines = readFileSync(join(GOLDEN, file), 'utf8').trimEnd().split('\n');
  const last = lines.length - 1;

  it('is whole as it is', async () => {
    expect(await findTampering(lines)).toBeNull();
  });

  it('no event can be dropped or doubled', async () => {
    for (const [index, line] of lines.entries()) {
      const dropped = await findTampering(lines.toSpliced(index, 1));
      // Without its last lines a log looks like one whose process died there: it is no finished one.
      expect(dropped, `without event ${index}`).toBe(index === last ? 'unfinished' : 'refused');
      expect(await findTampering(lines.toSpliced(index, 0, line)), `event ${index} twice`).toBe('refused');
    }
  });

  it('no two events can be swapped', async () => {
    for (let index = 0; index < last; index++) {
      const swapped = lines.with(index, lines[index + 1]!).with(index + 1, lines[index]!);
      expect(await findTampering(swapped), `events ${index} and ${index + 1}`).toBe('refused');
    }
  });

  it('no event can be edited, whatever is edited of it', async () => {
    for (const [index, line] of lines.entries()) {
      for (const edited of editsOf(line)) {
        expect(edited).not.toBe(line);
        expect(await findTampering(lines.with(index, edited)), `event ${index}: ${edited}`).toBe('refused');
      }
    }
  });

  it('no event can be edited by somebody who makes its own checksum fit', async () => {
    for (let index = 0; index < last; index++) {
      const [edited = ''] = editsOf(lines[index]!);
      const sealed = resealed(edited, lines[index - 1]);
      expect(await findTampering(lines.slice(0, index).concat(sealed)), 'the seal fits').not.toBe('refused');
      expect(await findTampering(lines.with(index, sealed)), `event ${index}`).toBe('refused');
    }
    const end = lines[last]!;
    // A session that is left open ends with an event that says nothing but that.
    if (end.includes('"type":"run.interrupted"')) return;
    const forged = resealed(end.replace(/"reason":"/, '"reason":"not '), lines[last - 1]);
    expect(forged).not.toBe(end);
    expect(await findTampering(lines.with(last, forged))).toBe('diverged');
  });
});
