/* What modules of TypeScript may hold, each alone: the compiler of the built command takes up what a module has a use for. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runCommand, temporaryFolder, writeSilentMock } from './command.ts';

const folder = temporaryFolder();

const toolThat = (description: string): string => `import { defineTool } from 'sortie';
export const tool = defineTool({
  name: 'tool', description: ${description}, input: { type: 'object' }, effect: 'read', costHint: 1, run: () => 'x',
});
`;

const MODULES: readonly [what: string, source: string, said: string][] = [
  [
    'decorators of classes',
    `const named = (name: string) => (target: { said?: string }) => void (target.said = name);
@named('decorated') class Tool { declare static said: string }
${toolThat('Tool.said')}`,
    'decorated',
  ],
  [
    'decorators of parameters',
    `const seen: number[] = [];
const mark = (_target: object, _name: string, index: number) => void seen.push(index);
class Tool { say(_first: string, @mark second: string) { return second; } }
${toolThat("'marked ' + seen.join() + new Tool().say('a', 'b')")}`,
    'marked 1b',
  ],
  ['import.meta', toolThat("import.meta.url.split('/').at(-1) ?? ''"), 'import.meta.ts'],
  [
    'using',
    `const said: string[] = [];
{ using held = { [Symbol.dispose]: () => void said.push('disposed') }; void held; }
${toolThat('said.join()')}`,
    'disposed',
  ],
  [
    'enums, fields, namespaces and modules of JSON',
    `import data from './data.json' with { type: 'json' };
export * as path from 'node:path';
enum Colour { Red = 'red' }
namespace Inner { export const shade = 'dark'; }
class Tool { #colour = Colour.Red; said = [Inner.shade, this.#colour, data.more].join(' '); }
${toolThat('new Tool().said satisfies string')}`,
    'dark red indeed',
  ],
];

writeFileSync(join(folder, 'data.json'), '{"more":"indeed"}');
writeSilentMock(folder);

it.each(MODULES)('takes %s', async (what, source, said) => {
  writeFileSync(join(folder, `${what}.ts`), source);
  const task = { name: 't', goal: 'g', tools: [`./${what}.ts`], provider: './mock.mjs' };
  writeFileSync(join(folder, `${what}.yaml`), JSON.stringify(task));
  const { exitCode, stdout, stderr } = await runCommand(folder, ['tools', `${what}.yaml`, '--json']);
  expect(stderr).toBe('');
  expect(stdout).toContain(`"description": "${said}"`);
  expect(exitCode).toBe(0);
});
