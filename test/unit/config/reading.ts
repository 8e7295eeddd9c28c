import type { OverrideSources } from '../../../src/config/overrides.ts';
import { renderTaskProblem } from '../../../src/config/problem.ts';
import type { AcceptedTask } from '../../../src/config/validate-task.ts';
import { parseTaskFile, readTaskText } from '../../../src/config/task-file.ts';

export const BUILTINS = ['read_file', 'write_file', 'fetch_page'];
export const PROVIDERS = ['anthropic', 'openai', 'mock'];

/** A task that holds, with more lines behind it. */
export const taskText = (...lines: string[]): string =>
  [
    'name: t',
    'goal: Compare {{cities}}',
    'inputs:',
    '  cities: [Paris, Lima]',
    'tools: [./tools.ts]',
    'provider: ./mock.ts',
    ...lines,
    '',
  ].join('\n');

/** The problems of a text as people read them. */
export const problemsOf = (text: string, sources: OverrideSources = {}): string[] =>
  readTaskText(text, 'task.yaml', sources).problems.map(renderTaskProblem);

export const parse = (text: string, sources: OverrideSources = {}): AcceptedTask =>
  parseTaskFile(text, 'task.yaml', sources);
