import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadTask } from '../../../src/config/load.ts';
import type { FileProblem } from '../../../src/config/problem.ts';
import type { OrchestratorError } from '../../../src/kernel/errors.ts';
import { BUILTINS, PROVIDERS } from './reading.ts';

interface Case {
  name: string;
  yaml: string;
  problems: { line: number; column: number; path: string; hint?: string }[];
}

const cases = JSON.parse(
  readFileSync(new URL('../../fixtures/tasks/tasks.json', import.meta.url), 'utf8'),
) as Case[];

describe('task files of the cases', () => {
  let folder = '';

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'sortie-tasks-'));
    writeFileSync(join(folder, 'tools.ts'), '');
    writeFileSync(join(folder, 'mock.ts'), '');
  });

  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  it.each(cases)('$name', async ({ yaml, problems }) => {
    const file = join(folder, 'task.yaml');
    writeFileSync(file, yaml);
    const found = await loadTask(file, { builtins: BUILTINS, providers: PROVIDERS }).then(
      () => [],
      (error: unknown) => (error as OrchestratorError).details['problems'] as unknown as FileProblem[],
    );
    expect(found.map(({ line, column, path }) => ({ line, column, path }))).toEqual(
      problems.map(({ line, column, path }) => ({ line, column, path })),
    );
    for (const [index, { hint = '' }] of problems.entries()) {
      expect(found[index]).toMatchObject({ file, message: expect.stringMatching(/\S/) as string });
      expect(found[index]?.hint ?? '').toContain(hint);
    }
  });
});
