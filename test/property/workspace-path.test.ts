import fc from 'fast-check';
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { OrchestratorError } from '../../src/kernel/errors.ts';
import {
  appendWorkspaceFile,
  replaceWorkspaceFile,
} from '../../src/tools/workspace/change-workspace-file.ts';
import { parseWorkspacePath } from '../../src/tools/workspace/parse-workspace-path.ts';
import { readWorkspaceText } from '../../src/tools/workspace/read-workspace-file.ts';
import { createOutsideWorld, type OutsideWorld, SECRET } from '../support/outside-world.ts';

let world: OutsideWorld;

beforeAll(() => {
  world = createOutsideWorld();
});

afterAll(() => world.remove());

const names = fc.constantFrom(
  ...['..', '.', '', '...', 'sub', 'deep', 'note.txt', 'secret.txt', 'outside', 'work', 'work-beside', 'new'],
  ...['link-folder', 'link-parent', 'link-root', 'link-chain', 'link-dangling', 'link-loop', 'link-to-git'],
  ...['sub/link-up-twice', 'link-folder-absolute', 'link-proc-cwd', 'etc', 'passwd', 'proc', 'self', '.git'],
  ...['\uff0e\uff0e', '%2e%2e', '..\u200b', '.. ', '\u2025', '~', 'CON', 'C:', 'x\0'],
);
const separators = fc.constantFrom('/', '/', '/', '//', '/./', '\\', '\u2215', '%2f');
const prefixes = fc.constantFrom(
  '',
  '',
  '',
  '/',
  './',
  '{root}/',
  '{root}/work/',
  '{root}/work/../',
  '/proc/self/root',
);

const paths = fc.tuple(prefixes, fc.array(fc.tuple(names, separators), { minLength: 1, maxLength: 7 })).map(
  ([prefix, parts]) =>
    prefix +
    parts
      .map(([name, separator]) => name + separator)
      .join('')
      .slice(0, -1),
);

const fill = (path: string): string => path.replaceAll('{root}', world.root);

it('what is read lies in the workspace, whatever the path', async () => {
  await fc.assert(
    fc.asyncProperty(paths, async (template) => {
      const path = fill(template);
      const limits = { workspace: world.workspace, signal: new AbortController().signal, maxBytes: 10_000 };
      try {
        const text = await readWorkspaceText(path, limits);
        expect(text).not.toBe(SECRET);
        const real = realpathSync(path.startsWith('/') ? path : join(world.workspace, path));
        expect(real.startsWith(`${world.workspace}/`)).toBe(true);
      } catch (error) {
        expect(error).toBeInstanceOf(OrchestratorError);
      }
    }),
    { numRuns: 1500 },
  );
});

it('what is written lies in the workspace, whatever the path', async () => {
  const before = world.snapshot();
  await fc.assert(
    fc.asyncProperty(paths, fc.boolean(), async (template, isAppended) => {
      const path = fill(template);
      const context = { workspace: world.workspace, signal: new AbortController().signal };
      try {
        if (isAppended) await appendWorkspaceFile(path, context, Buffer.from('x'), 1000);
        else await replaceWorkspaceFile(path, context, (handle) => handle.writeFile('y'));
      } catch (error) {
        expect(error).toBeInstanceOf(OrchestratorError);
      }
      expect(world.snapshot()).toBe(before);
    }),
    { numRuns: 400 },
  );
});

it('any text at all is a way into the workspace or is refused', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }), paths), (text) => {
      try {
        for (const name of parseWorkspacePath('/work', text)) {
          expect(name).not.toMatch(/^(?:|\.|\.\.)$|[/\\\0]/);
          expect(name.normalize('NFKC')).not.toMatch(/^\.\.?$|[/\\\0]/);
        }
      } catch (error) {
        expect(error).toBeInstanceOf(OrchestratorError);
      }
    }),
    { numRuns: 3000 },
  );
});
