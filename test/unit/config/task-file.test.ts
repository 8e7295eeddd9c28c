import { describe, expect, it } from 'vitest';
import { CHECK_KINDS } from '../../../src/contracts/task.ts';
import { OrchestratorError } from '../../../src/kernel/errors.ts';
import { readTaskText } from '../../../src/config/task-file.ts';
import { parse, problemsOf, taskText } from './reading.ts';

describe('what a task file may hold', () => {
  it('fills in defaults, keeps the goal as written and gives it filled in too', () => {
    const { task, goal } = parse(taskText());
    expect(task.goal).toBe('Compare {{cities}}');
    expect(goal).toBe('Compare Paris, Lima');
    expect(task).toMatchObject({
      concurrency: 5,
      walk: 'level',
      budget: { economyAt: 0.7 },
      verify: { judge: 'on' },
    });
  });

  it('refuses a window of an agent that leaves no room for a prompt, and says what is taken off it', () => {
    const problems = problemsOf(
      taskText('mode: agent', 'agent: {windowTokens: 7000, windows: {small: 4000, large: 100000}}'),
    );
    expect(problems).toEqual([
      expect.stringMatching(
        /^task\.yaml:8:\d+ agent\.windowTokens: expected at least 7596 tokens, got 7000 \(limits/,
      ),
      expect.stringMatching(
        /^task\.yaml:8:\d+ agent\.windows\.small: expected at least 7596 tokens, got 4000/,
      ),
    ]);
    expect(problemsOf(taskText('mode: agent', 'agent: {windowTokens: 7596}'))).toEqual([]);
    expect(problemsOf(taskText('mode: agent', 'limits: {maxOutputTokens: 40000}'))).toHaveLength(1);
  });

  it('merges maps behind own keys, the first of several before the others', () => {
    const { task } = parse(
      [
        'x-a: &a {tokens: 1, llmCalls: 1}',
        'x-b: &b {tokens: 2, toolCalls: 2}',
        taskText('budget: {<<: [*a, *b], llmCalls: 9}'),
      ].join('\n'),
    );
    expect(task.budget).toMatchObject({ tokens: 1, toolCalls: 2, llmCalls: 9 });
  });

  it('takes aliases of texts, lists and keys that look like numbers', () => {
    const { task } = parse(taskText('models: {planner: &m big, critic: *m, "2": x}'));
    expect(task.models).toEqual({ planner: 'big', critic: 'big', '2': 'x' });
  });

  it('reads YAML 1.2, so NO, yes, dates and 1_000 are texts', () => {
    const { task } = parse(
      'name: t\ngoal: g\ntools: [./a]\nprovider: p\ninputs: {a: NO, b: yes, c: 2026-01-01, d: 1_000}\n',
    );
    expect(task.inputs).toEqual({ a: 'NO', b: 'yes', c: '2026-01-01', d: '1_000' });
  });
});

describe('problems of values', () => {
  it.each([
    [
      'budget: {tokens: }',
      '7:18 budget.tokens: expected a number, got nothing (leave the key out for its default)',
    ],
    ['walk: 3', '7:7 walk: expected level or eager, got 3'],
    ['models: [a]', '7:9 models: expected a map, got a list'],
    ['models: {planner: 4}', '7:19 models.planner: expected text or a list, got 4'],
    ['policy: {deny: shell}', '7:16 policy.deny: expected a list, got the text "shell" (write [shell])'],
    [
      'policy: {effects: [read, wirte]}',
      '7:26 policy.effects.1: expected read, write or irreversible, got the text "wirte" (did you mean write?)',
    ],
    ['verify: {passScore: 1.5}', '7:21 verify.passScore: expected a number of at most 1, got 1.5'],
    ['budget: {economyAt: 0.95}', '7:21 budget.economyAt: economyAt (0.95) is above minimalAt (0.9)'],
    ['x-tra: {a: 1}\nxtra: 1', '8:1 xtra: unknown key'],
    ['prices: {m: {inputPerMTok: 1}}', '7:13 prices.m.outputPerMTok: is missing (expected a number)'],
    [
      'concurrency: 12345678901234567890',
      '7:14 concurrency: 12345678901234567890 has more digits than a number keeps (in quotes it is text)',
    ],
  ])('%s', (line, expected) => {
    const problems = problemsOf(taskText(line));
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(`task.yaml:${expected}`);
  });

  it('reports a name that JavaScript keeps for itself instead of dropping it', () => {
    const text = 'name: t\ngoal: g\ntools: [./a]\nprovider: p\ninputs:\n  __proto__: 1\n  constructor: 2\n';
    expect(problemsOf(text)).toEqual(['task.yaml:6:3 inputs.__proto__: this name cannot be used']);
  });

  it('orders problems as they stand in the file and throws them as one error', () => {
    const text = taskText('budget:', '  tokens: 1', '  tokens: 2', 'walk: levle', 'concurrency: .inf');
    expect(() => parse(text)).toThrow(OrchestratorError);
    expect(problemsOf(text).map((problem) => problem.split(' ')[0])).toEqual([
      'task.yaml:9:3',
      'task.yaml:10:7',
      'task.yaml:11:14',
    ]);
  });

  it('places a problem of a merged value where that value is written', () => {
    expect(problemsOf(`x-a: &a\n  tokens: 1k\n${taskText('budget: {<<: *a}')}`)).toEqual([
      'task.yaml:2:11 budget.tokens: expected a number, got the text "1k"',
    ]);
  });
});

describe('problems of checks', () => {
  const checks = (...lines: string[]): string[] =>
    problemsOf(taskText('verify:', '  checks:', ...lines.map((line) => `    - ${line}`)));

  it('names the kinds that exist, and the near one', () => {
    const [problem] = checks('sectoins: Paris');
    expect(problem).toContain('9:7 verify.checks.0.sectoins: unknown kind of check (did you mean sections?');
    for (const kind of CHECK_KINDS) expect(problem).toContain(kind);
  });

  it.each([
    ['{includes: a, matches: b}', '9:21 verify.checks.0.matches: a check has one kind'],
    ['{}', '9:7 verify.checks.0: an empty check'],
    ['Paris', '9:7 verify.checks.0: expected a check, got the text "Paris"'],
    ['includes: 3', '9:17 verify.checks.0.includes: expected text or a list, got 3'],
    ['includes: [a, 3]', '9:21 verify.checks.0.includes.1: expected text, got 3'],
    ['includes: ""', '9:17 verify.checks.0.includes: is empty'],
    ['minLength: -1', '9:18 verify.checks.0.minLength: expected a number of at least 0, got -1'],
    [
      'grounded: {tolerance: 2}',
      '9:29 verify.checks.0.grounded.tolerance: expected a number of at most 1, got 2',
    ],
    ['grounded: no', '9:17 verify.checks.0.grounded: expected true or a map, got the text "no"'],
    ['function: checks.ts', '9:17 verify.checks.0.function: expected ./module.ts#exportName'],
    ['jsonSchema: {$ref: "#/nowhere"}', '9:19 verify.checks.0.jsonSchema: the schema does not compile'],
    [
      'matches: "{{citis}} ("',
      '9:16 verify.checks.0.matches: no input is named "citis" (did you mean cities?)',
    ],
  ])('%s', (line, expected) => {
    const problems = checks(line, 'includes: Lima');
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(`task.yaml:${expected}`);
  });
});

describe('texts that are no task', () => {
  it.each([
    ['empty', '', '1:1: the file is empty'],
    ['only comments', '# nothing\n', '1:1: the file is empty'],
    ['lines that end by CR', '# a task\rname: t\r', '1:1: its lines end by CR alone'],
    ['a NUL', 'name: t\nab\0c', '2:3: a NUL character'],
    ['too large', `name: ${'t'.repeat(1024 * 1024)}`, '1:1: larger than 1024 KiB'],
    ['too many signs', 'k: v\n'.repeat(100_000), '28572:3: more than 200000 words'],
    ['quotes alone', '"'.repeat(1_000_000), '1:400001: more than 200000 words'],
    ['nested lists', '['.repeat(100_000), '1:103: nested deeper than 100 levels'],
    ['nested dashes', '- '.repeat(100_000), '1:204: nested deeper than 100 levels'],
    ['an unknown tag', taskText('budget: !big {tokens: 1}'), '7:9: unknown tag !big'],
    ['YAML 1.1', `%YAML 1.1\n---\n${taskText()}`, '1:1: a task file is YAML 1.2'],
    ['a key that is a list', taskText('[a]: b'), '7:1: a key must be'],
    ['an empty second document', taskText('---'), '7:1: a second document begins here'],
    ['a text', 'hello\n', '1:1: expected a map of keys, got the text "hello"'],
  ])('%s', (_, text, expected) => {
    const problems = problemsOf(text);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(`task.yaml:${expected}`);
  });

  it('refuses aliases of what is not complete yet', () => {
    expect(problemsOf(taskText('models: &m {a: *m}'))).toEqual([
      'task.yaml:7:16 models.a: no anchor &m ends before this alias',
    ]);
    expect(problemsOf(taskText('budget: {<<: 3}'))).toEqual([
      'task.yaml:7:14 budget.<<: a merge key (<<) takes maps',
    ]);
  });

  it('reads an aliased value as often as it stands, up to a limit', () => {
    const list = `x-a: &a [${'a,'.repeat(998)}a]\n`;
    const repeats = (times: number): string => `${list}x-b: [${'*a,'.repeat(times)}]\n${taskText()}`;
    expect(problemsOf(repeats(100))).toEqual([]);
    expect(problemsOf(repeats(101))[0]).toContain('task.yaml:2:1: the aliases up to here repeat too much');
  });
});

describe('places of values', () => {
  it('finds values by their path in dots, keys with dots included', () => {
    const reading = readTaskText(taskText('models: {critic: a, "gpt.4": b}'), 'task.yaml', {
      flags: { 'models.critic': 'z' },
    });
    expect(reading.locate('tools.0')).toEqual({ line: 5, column: 9 });
    expect(reading.locate('models.gpt.4')).toEqual({ line: 7, column: 30 });
    expect(reading.locate('budget.tokens')).toBeNull();
    expect(reading.locate('models.critic')).toBeNull();
    expect(reading.problemAt(['tools', 0], 'throws on import')).toMatchObject({
      line: 5,
      column: 9,
      path: 'tools.0',
    });
    expect(reading.problemAt(['models', 'critic'], 'gone')).toMatchObject({ override: '--models.critic' });
  });
});
