import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadTask } from '../../../src/config/load.ts';
import { OrchestratorError } from '../../../src/kernel/errors.ts';
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
      (error: unknown) =>
        (error as OrchestratorError).details['problems'] as {
          file: string;
          message: string;
          hint?: string;
        }[],
    );
    expect(found).toEqual(
      problems
        .map(({ hint, ...place }) => ({
          file,
          ...place,
          message: expect.stringMatching(/\S/),
          ...(hint === undefined ? {} : { hint: expect.stringContaining(hint) }),
        }))
        .map((problem, index) => ({
          ...(found[index]?.hint === undefined ? {} : { hint: found[index].hint }),
          ...problem,
        })),
    );
  });
});
