import { describe, expect, it } from 'vitest';
import type { OrchestratorError } from '../../../src/kernel/errors.ts';
import { listTaskOptions } from '../../../src/config/task-options.ts';
import { parse, problemsOf, taskText } from './reading.ts';

describe('precedence', () => {
  it('takes a flag before a variable before the file before the default', () => {
    const text = taskText('concurrency: 2', 'budget: {tokens: 10, toolCalls: 10}');
    const env = { ORCHESTRATE_CONCURRENCY: '3', ORCHESTRATE_BUDGET_TOOL_CALLS: '30', ORCHESTRATE_NAME: '' };
    const { task } = parse(text, { flags: { concurrency: '4' }, env });
    expect(task).toMatchObject({
      name: 't',
      concurrency: 4,
      walk: 'level',
      budget: { tokens: 10, toolCalls: 30 },
    });
  });

  it('takes flags of every kind', () => {
    const { task } = parse(taskText(), {
      flags: {
        walk: 'eager',
        'budget.costUsd': '0.5',
        'policy.effects': 'read,write',
        'policy.deny': ['shell', 'rm'],
        'models.planner': 'big',
        'prices.gpt-4.1.inputPerMTok': '2',
        'prices.gpt-4.1.outputPerMTok': '8',
        'verify.checks': '[{"includes": "{{cities}}"}]',
        'verify.judge': 'off',
      },
    });
    expect(task).toMatchObject({
      walk: 'eager',
      budget: { costUsd: 0.5 },
      policy: { effects: ['read', 'write'], deny: ['shell', 'rm'] },
      models: { planner: 'big' },
      prices: { 'gpt-4.1': { inputPerMTok: 2, outputPerMTok: 8 } },
      verify: { judge: 'off', checks: [{ includes: ['Paris', 'Lima'] }] },
    });
  });

  it('gives what the file leaves out', () => {
    expect(parse('name: t\ntools: [./a]\n', { flags: { goal: 'g', provider: 'p' } })).toMatchObject({
      goal: 'g',
    });
  });

  it('knows every option that it lists, as a flag and as a variable', () => {
    for (const option of listTaskOptions()) {
      const name = option.path.replace('<name>', 'cities');
      const variable = option.env.replace('<NAME>', 'CITIES');
      const unknown = [
        ...problemsOf(taskText(), { flags: { [name]: '1' } }),
        ...problemsOf(taskText(), { env: { [variable]: '1' } }),
      ].filter((problem) => problem.includes('no such field'));
      expect(unknown).toEqual([]);
    }
  });
});

describe('inputs given as values', () => {
  it('are taken as they are, before flags and whatever the file has', () => {
    const values = { cities: '[x] y', n: '1', m: 1, map: { a: [null] }, 'a=b': true, 'x.y': 'dotted' };
    const lines = 'goal: g\ninputs: {cities: [Paris], n: 2, m: text, map: [], a=b: 1, x.y: 2}\n';
    const text = `name: t\n${lines}tools: [./tools.ts]\nprovider: ./mock.ts\n`;
    const flags = { input: 'n=3' };
    expect(parse(text, { flags, inputs: values }).task.inputs).toEqual(values);
  });

  it('that the task does not have are problems, by their names', () => {
    expect(problemsOf(taskText(), { inputs: { citis: [] } })).toEqual([
      expect.stringContaining('the task has no input "citis"') as string,
    ]);
    const odd = Object.fromEntries([['__proto__', 1]]);
    expect(problemsOf(taskText(), { inputs: odd })).toHaveLength(1);
  });
});

describe('inputs', () => {
  const text = taskText('verify: {checks: [includes: "{{cities}}"]}').replace(
    'inputs:',
    'inputs:\n  n: 1\n  on: true\n  note: x\n  ns: [1, 2]\n  map: {a: 1}\n  none: null',
  );

  it('are read like the values of the file and take part in templates', () => {
    const { task, goal } = parse(text, {
      flags: {
        input: ['cities=Paris, Osaka,Lima', 'n=2.5', 'on=false', 'note=[a, b]', 'ns=3,4', 'map={"b":2}'],
        'input.none': '7',
      },
    });
    expect(goal).toBe('Compare Paris, Osaka, Lima');
    expect(task.inputs).toEqual({
      ...{ cities: ['Paris', 'Osaka', 'Lima'], n: 2.5, on: false, note: '[a, b]' },
      ...{ ns: [3, 4], map: { b: 2 }, none: '7' },
    });
    expect(task.verify.checks).toEqual([{ includes: ['Paris', 'Osaka', 'Lima'] }]);
  });

  it('take JSON for a list, and come from the environment too', () => {
    expect(parse(text, { flags: { 'inputs.cities': '["Washington, D.C."]' } }).task.inputs['cities']).toEqual(
      ['Washington, D.C.'],
    );
    expect(parse(text, { env: { ORCHESTRATE_INPUT_CITIES: 'Rome' } }).goal).toBe('Compare Rome');
    expect(parse(text, { env: { ORCHESTRATE_INPUTS_CITIES: 'Rome,Oslo' } }).goal).toBe('Compare Rome, Oslo');
  });

  it('may be new where a template waits for them, else are a slip', () => {
    const open = 'name: t\ngoal: Visit {{city}}\ntools: [./a]\nprovider: p\n';
    expect(parse(open, { flags: { input: 'city=Rome' } }).goal).toBe('Visit Rome');
    expect(problemsOf(taskText(), { flags: { input: 'citis=Rome' } })).toEqual([
      '--input citis: the task has no input "citis" (did you mean cities?)',
    ]);
    expect(problemsOf(taskText(), { flags: { input: 'towns=Rome' } })).toEqual([
      expect.stringMatching(/^--input towns: the task has no input "towns" \(it has cities\b/) as string,
    ]);
    expect(problemsOf('name: t\ngoal: g\ntools: [./a]\nprovider: p\n', { flags: { input: 'x=1' } })).toEqual([
      '--input x: the task has no input "x" (it has none)',
    ]);
  });
});

describe('problems of flags and variables', () => {
  it('do not send a person to the task file, where they are the only ones', () => {
    const hintOf = (text: string): string => {
      try {
        parse(text, { flags: { 'budget.tokens': '1k' } });
        return '';
      } catch (error) {
        return (error as OrchestratorError).hint;
      }
    };
    expect(hintOf(taskText())).toBe('Correct the flags, variables or inputs that are named.');
    expect(hintOf(`${taskText()}\nodd: 1\n`)).toContain('Correct the task file');
  });

  it.each([
    [{ 'budget.tokens': '1k' }, '--budget.tokens: expected a number, got "1k"'],
    [{ 'budget.tokens': '' }, '--budget.tokens: expected a number, got ""'],
    [{ 'budget.tokens': 'Infinity' }, '--budget.tokens: expected a number, got "Infinity"'],
    [{ 'budget.tokens': '0x10' }, '--budget.tokens: expected a number, got "0x10"'],
    [{ 'budget.tokens': '2.5' }, '--budget.tokens: expected a whole number, got 2.5'],
    [{ concurrency: '0' }, '--concurrency: expected a number above 0, got 0'],
    [{ concurrency: ['1', '2'] }, '--concurrency: given more than once'],
    [{ concurency: '2' }, '--concurency: no such field of the task (did you mean --concurrency?)'],
    [{ walk: 'levle' }, '--walk: expected level or eager, got the text "levle" (did you mean level?)'],
    [{ goal: 'Compare {{citys}}' }, '--goal: no input is named "citys" (the inputs are cities)'],
    [{ 'verify.checks': '[{' }, '--verify.checks: expected JSON'],
    [{ 'verify.checks': '[{"matches":"("}]' }, '--verify.checks: the pattern does not compile'],
    [
      { 'policy.effects': 'read,wirte' },
      '--policy.effects: expected read, write or irreversible, got the text "wirte"',
    ],
    [{ input: 'cities' }, '--input: expected name=value, got "cities"'],
    [{ budget: '3' }, '--budget: no such field'],
  ])('%o', (flags, expected) => {
    const problems = problemsOf(taskText(), { flags });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(expected);
  });

  it('are told of the flag or variable that fills a template, not of the file that holds it', () => {
    const text = taskText('verify: { checks: [{ includes: "{{cities}}" }, { sections: [Lima] }] }');
    const problem = 'verify.checks.0.includes: expected a list of at least 1 item, got an empty list';
    expect(problemsOf(text, { flags: { input: ['cities='] } })).toEqual([`--input cities: ${problem}`]);
    expect(problemsOf(text, { flags: { 'input.cities': '' } })).toEqual([`--input.cities: ${problem}`]);
    expect(problemsOf(text, { env: { ORCHESTRATE_INPUT_CITIES: '[]' } })).toEqual([
      `ORCHESTRATE_INPUT_CITIES: ${problem}`,
    ]);
    // What the flag has no part in stays at its place in the file.
    const other = text.replace('sections: [Lima]', 'sections: []');
    expect(problemsOf(other, { flags: { input: ['cities=Rome'] } })).toEqual([
      expect.stringContaining('task.yaml:7:60 verify.checks.1.sections: expected a list'),
    ]);
  });

  it.each([
    [{ input: ['cities=Rome'], 'inputs.cities': 'Paris' }, '--inputs.cities', '--input cities'],
    [{ 'inputs.cities': 'Paris', 'input.cities': 'Rome' }, '--input.cities', '--inputs.cities'],
    [{ input: ['cities=Rome'], inputs: ['cities=Paris'] }, '--inputs cities', '--input cities'],
  ])('say that a flag is given in two forms: %j', (flags, second, first) => {
    expect(problemsOf(taskText(), { flags })).toEqual([`${second}: given more than once: as ${first}, too`]);
    const env = { ORCHESTRATE_INPUTS_CITIES: 'Lima' };
    expect(problemsOf(taskText(), { env, flags: { input: ['cities=Rome'] } })).toEqual([]);
  });

  it('say that an input is given twice, and how an item holds a comma', () => {
    const flags = { input: ['cities=Washington, D.C.', 'cities=Paris'] };
    expect(problemsOf(taskText(), { flags })).toEqual([
      `--input cities: given more than once (a list is one value: cities=a,b, or as JSON where an item holds a comma: 'cities=["a, b","c"]')`,
    ]);
    const asJson = { input: ['cities=["Washington, D.C.","Paris"]'] };
    expect(parse(taskText(), { flags: asJson }).task.inputs).toEqual({
      cities: ['Washington, D.C.', 'Paris'],
    });
  });

  it('names the variable', () => {
    const env = {
      ORCHESTRATE_BUDGET_TOKENS: 'many',
      ORCHESTRATE_BUDGET_TOKNS: '3',
      ORCHESTRATE_LIMITS_X: '1',
    };
    expect(problemsOf(taskText(), { env })).toEqual([
      'ORCHESTRATE_BUDGET_TOKENS: expected a number, got "many"',
      'ORCHESTRATE_BUDGET_TOKNS: no such field of the task (did you mean ORCHESTRATE_BUDGET_TOKENS?)',
      'ORCHESTRATE_LIMITS_X: no such field of the task',
    ]);
  });

  it('leaves variables alone that are no fields of the task', () => {
    expect(problemsOf(taskText(), { env: { PATH: '/bin', ORCHESTRATE_ROOT: '/tmp' } })).toEqual([]);
  });

  it('are reported with those of the file', () => {
    expect(problemsOf(taskText('budget: 3'), { flags: { 'budget.tokens': '5', walk: 'x' } })).toEqual([
      '--walk: expected level or eager, got the text "x"',
      'task.yaml:7:9 budget: expected a map, got 3',
    ]);
  });
});
