import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { readTaskText } from '../../src/config/task-file.ts';
import type { TaskInput } from '../../src/contracts/task.ts';
import { taskSchema } from '../../src/contracts/task.ts';

const word = fc.stringMatching(/^[a-zA-Z][a-zA-Z0-9 ,.:#'"-]{0,20}$/);
const name = fc.stringMatching(/^[a-z][a-zA-Z0-9_.-]{0,11}$/);
const text = fc
  .string({ unit: 'grapheme', minLength: 1 })
  .filter((value) => !/\{\{|\0/.test(value) && value.trim() !== '');
const json = fc.jsonValue({ maxDepth: 3 }).filter((value) => !JSON.stringify(value).includes('__proto__'));
const count = fc.nat();

const check = fc.oneof(
  fc.record({ includes: fc.oneof(text, fc.array(text, { minLength: 1, maxLength: 4 })) }),
  fc.record({ matches: name }),
  fc.record({ minLength: count }),
  fc.record({
    grounded: fc.oneof(
      fc.constant(true as const),
      fc.record({ tolerance: fc.double({ min: 0, max: 1, noNaN: true }) }),
    ),
  }),
);

const task = fc.record(
  {
    name: text,
    goal: text,
    tools: fc.array(word, { minLength: 1, maxLength: 4 }),
    provider: word,
    inputs: fc.dictionary(name, json, { maxKeys: 4 }),
    models: fc.dictionary(name, word, { maxKeys: 4 }),
    concurrency: fc.integer({ min: 1, max: 1000 }),
    walk: fc.constantFrom('level' as const, 'eager' as const),
    budget: fc.record(
      { tokens: count, toolCalls: count, costUsd: fc.double({ min: 0, max: 1e6, noNaN: true }) },
      { requiredKeys: [] },
    ),
    verify: fc.record(
      { checks: fc.array(check, { maxLength: 4 }), judge: fc.constantFrom('on' as const, 'off' as const) },
      { requiredKeys: [] },
    ),
    policy: fc.record({ deny: fc.array(word, { maxLength: 3 }) }),
  },
  { requiredKeys: ['name', 'goal', 'tools', 'provider'] },
) as fc.Arbitrary<TaskInput>;

describe('task files', () => {
  it('written from a task are read as that task, however they are laid out', () => {
    fc.assert(
      fc.property(
        task,
        fc.constantFrom('any', 'block', 'flow'),
        fc.boolean(),
        (input, collectionStyle, isCrlf) => {
          const yaml = stringify(input, { collectionStyle });
          const hasBreaks = JSON.stringify(input).includes('\\r') || /[|>]/.test(yaml);
          const reading = readTaskText(
            isCrlf && !hasBreaks ? yaml.replaceAll('\n', '\r\n') : yaml,
            'task.yaml',
          );
          expect(reading.problems).toEqual([]);
          expect(reading.accepted).toEqual({ task: taskSchema.parse(input), goal: input.goal });
        },
      ),
    );
  });

  it('with one key misspelled have exactly that problem, at its line', () => {
    fc.assert(
      fc.property(task, fc.nat(), fc.nat(), fc.constantFrom('q', 'qz'), (input, pick, at, slip) => {
        const lines = stringify(input, { collectionStyle: 'block', lineWidth: 0, blockQuote: false }).split(
          '\n',
        );
        const optional = lines.flatMap((line, index) => (OPTIONAL_KEY.test(line) ? [index] : []));
        fc.pre(optional.length > 0);
        const index = optional[pick % optional.length] ?? 0;
        const key = OPTIONAL_KEY.exec(lines[index] ?? '')?.[1] ?? '';
        const cut = 1 + (at % key.length);
        const typo = key.slice(0, cut) + slip + key.slice(cut);
        lines[index] = typo + (lines[index] ?? '').slice(key.length);
        const { problems } = readTaskText(lines.join('\n'), 'task.yaml');
        expect(problems).toEqual([
          {
            file: 'task.yaml',
            line: index + 1,
            column: 1,
            path: typo,
            message: 'unknown key',
            hint: expect.any(String) as string,
          },
        ]);
      }),
    );
  });

  it('of any text are read or refused, with places inside the text', () => {
    const line = fc.oneof(
      fc.constantFrom(
        'a: &a',
        '- b',
        '  <<: *a',
        'goal: {{x}',
        '"',
        '[',
        '\t',
        '---',
        '...',
        '? x',
        '%YAML 1.1',
        'tools: |',
      ),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 12 }), (parts) => {
        const written = parts.join('\n');
        const lineCount = written.split('\n').length;
        for (const problem of readTaskText(written, 'task.yaml').problems) {
          expect(
            'line' in problem && problem.line >= 1 && problem.line <= lineCount && problem.column >= 1,
          ).toBe(true);
        }
      }),
    );
  });
});

const OPTIONAL_KEY = /^(inputs|models|concurrency|walk|budget|verify|policy):/;
