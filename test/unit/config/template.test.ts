import { describe, expect, it } from 'vitest';
import { expandTemplate } from '../../../src/config/template.ts';
import { parse, problemsOf, taskText } from './reading.ts';

const inputs = {
  city: 'St. Louis (MO)',
  cities: ['Paris', 'Lima'],
  year: 2026,
  where: { lat: 1 },
  open: null,
};

describe('expandTemplate', () => {
  it.each([
    ['Compare {{cities}}!', 'Compare Paris, Lima!'],
    ['{{ year }} {{city}}', '2026 St. Louis (MO)'],
    ['at {{where}}', 'at {"lat":1}'],
    ['a \\{{city}} stays', 'a {{city}} stays'],
    ['{"a":{"b":1}} is no template', '{"a":{"b":1}} is no template'],
  ])('%s', (text, expected) => {
    expect(expandTemplate(text, inputs)).toEqual({ text: expected, faults: [] });
  });

  it.each([
    ['{{citty}}', 'no input is named "citty"', 'did you mean city?'],
    ['{{constructor}}', 'no input is named "constructor"', 'the inputs are city'],
    ['{{open}}', 'the input "open" has no value', '--input open=…'],
    ['{{city}', 'not closed', 'braces alone'],
  ])('refuses %s', (text, message, hint) => {
    const { faults } = expandTemplate(text, inputs);
    expect(faults).toHaveLength(1);
    expect(faults[0]?.message).toContain(message);
    expect(faults[0]?.hint).toContain(hint);
  });

  it('never expands what an input holds', () => {
    expect(expandTemplate('{{a}}', { a: '{{b}} $& $1', b: 'x' }).text).toBe('{{b}} $& $1');
  });
});

describe('templates in checks', () => {
  const checksOf = (...lines: string[]): unknown =>
    parse(
      taskText(
        'verify:',
        '  rubric: Names {{cities}}',
        '  checks:',
        ...lines.map((line) => `    - ${line}`),
      ).replace(
        'inputs:',
        'inputs:\n  city: St. Louis (MO)\n  years: [2025, 2026]\n  least: 30\n  pattern: a|b',
      ),
    ).task.verify.checks;

  it('gives a whole template the type of its input', () => {
    expect(
      checksOf('includes: "{{cities}}"', 'minLength: "{{least}}"', 'jsonSchema: {enum: "{{years}}"}'),
    ).toEqual([{ includes: ['Paris', 'Lima'] }, { minLength: 30 }, { jsonSchema: { enum: [2025, 2026] } }]);
  });

  it('gives texts where texts are checked, and lays lists out flat', () => {
    expect(
      checksOf('includes: "{{years}}"', 'sections: ["{{cities}}", World]', 'includes: "{{least}}"'),
    ).toEqual([{ includes: ['2025', '2026'] }, { sections: ['Paris', 'Lima', 'World'] }, { includes: '30' }]);
  });

  it('takes an input in a longer pattern for its characters, and alone for a pattern', () => {
    expect(checksOf('matches: "in {{city}}"', 'matches: "{{pattern}}"', 'matches: "[{{]x{2}"')).toEqual([
      { matches: 'in St\\. Louis \\(MO\\)' },
      { matches: 'a|b' },
      { matches: '[{{]x{2}' },
    ]);
  });

  it('fills in the rubric', () => {
    const { task } = parse(taskText('verify: {rubric: "Names {{cities}}"}'));
    expect(task.verify.rubric).toBe('Names Paris, Lima');
  });

  it('reports an empty goal and an unknown name in an item at their places', () => {
    expect(
      problemsOf(
        taskText().replace('Compare {{cities}}', '"{{blank}}"').replace('inputs:', 'inputs:\n  blank: ""'),
      ),
    ).toEqual(['task.yaml:2:7 goal: says nothing, once filled in']);
    expect(problemsOf(taskText('verify: {checks: [includes: [Paris, "{{citis}}"]]}'))).toEqual([
      'task.yaml:7:37 verify.checks.0.includes.1: no input is named "citis" (did you mean cities?)',
    ]);
  });

  it('says only that the inputs are wrong when nothing can be filled in', () => {
    expect(
      problemsOf(
        'name: t\ngoal: "{{a}}"\ninputs: 3\ntools: [./a]\nprovider: p\nverify: {checks: [matches: "{{a}}"]}\n',
      ),
    ).toEqual(['task.yaml:3:9 inputs: expected a map, got 3']);
  });
});
