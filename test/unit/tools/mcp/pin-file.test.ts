import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { comparePins, PinFile } from '../../../../src/tools/pin-file.ts';
import { pinTool, type ToolPin } from '../../../../src/tools/tool-pin.ts';

let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sortie-pins-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const pin = (description: string): ToolPin =>
  pinTool({ name: 't', description, input: { type: 'object' }, costHint: 1, effect: 'read' });

it('keeps the pins of each origin, and those of others with them', async () => {
  const file = new PinFile(join(folder, 'new', 'tools.json'));
  expect(await file.read('a')).toBeNull();
  await file.write(new Map([['a', { t: pin('one') }]]));
  await file.write(new Map([['b', { t: pin('two') }]]));
  expect(await file.read('a')).toEqual({ t: pin('one') });
  expect(await file.read('b')).toEqual({ t: pin('two') });
  expect(await file.read('__proto__')).toBeNull();
});

it.each(['', '{', '{"version":2,"origins":{}}', '{"version":1,"origins":{"a":{"t":{}}}}'])(
  'refuses a file that holds %j, and says what to do',
  async (text) => {
    const path = join(folder, 'tools.json');
    writeFileSync(path, text);
    await expect(new PinFile(path).read('a')).rejects.toMatchObject({ code: 'usage', exitCode: 2 });
  },
);

it('tells what changed, came and went', () => {
  const before = { same: pin('a'), other: pin('b'), gone: pin('c') };
  const now = { same: pin('a'), other: pin('d'), fresh: pin('e') };
  expect(comparePins(before, now)).toEqual({
    changed: [{ tool: 'other', parts: ['description'] }],
    added: ['fresh'],
    removed: ['gone'],
  });
});
