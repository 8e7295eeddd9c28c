import { describe, expect, it } from 'vitest';
import { taskJsonSchema } from '../../../src/config/json-schema.ts';
import { listTaskOptions } from '../../../src/config/task-options.ts';
import { compileSchema } from '../../../src/contracts/schema.ts';
import { taskSchema } from '../../../src/contracts/task.ts';

describe('listTaskOptions', () => {
  const byPath = new Map(listTaskOptions().map((option) => [option.path, option]));

  it.each([
    ['concurrency', { type: 'integer', default: 5, env: 'ORCHESTRATE_CONCURRENCY' }],
    ['walk', { type: 'string', default: 'level', choices: ['level', 'eager'] }],
    ['budget.toolCalls', { type: 'integer', env: 'ORCHESTRATE_BUDGET_TOOL_CALLS' }],
    ['budget.costUsd', { type: 'number' }],
    ['policy.effects', { type: 'list', choices: ['read', 'write', 'irreversible'] }],
    ['tools', { type: 'list' }],
    ['verify.checks', { type: 'json', default: [] }],
    ['inputs.<name>', { type: 'json', env: 'ORCHESTRATE_INPUTS_<NAME>' }],
    ['models.<name>', { type: 'string' }],
    ['prices.<name>.inputPerMTok', { type: 'number' }],
  ])('%s', (path, expected) => {
    expect(byPath.get(path)).toMatchObject(expected);
  });

  it('describes every option and covers every key of the schema', () => {
    for (const option of listTaskOptions()) expect(option.description, option.path).not.toBe('');
    const tops = new Set(listTaskOptions().map(({ path }) => path.split('.')[0]));
    expect([...tops]).toEqual(Object.keys(taskSchema.shape));
  });
});

describe('taskJsonSchema', () => {
  it('is plain JSON that allows keys of the user and refuses others', () => {
    const schema = taskJsonSchema();
    expect(JSON.parse(JSON.stringify(schema))).toEqual(schema);
    expect(schema).toMatchObject({
      $schema: 'http://json-schema.org/draft-07/schema#',
      type: 'object',
      required: ['name', 'goal', 'provider'],
      additionalProperties: false,
      patternProperties: { '^x-': {} },
    });
  });

  it('accepts what the task schema accepts', () => {
    const { patternProperties, ...schema } = taskJsonSchema();
    expect(patternProperties).toBeDefined();
    const validator = compileSchema(schema);
    const task = {
      name: 't',
      goal: 'g',
      tools: ['./a'],
      provider: 'p',
      verify: { checks: [{ includes: 'a' }] },
    };
    expect(validator.safeParse(task).success).toBe(true);
    expect(validator.safeParse({ ...task, concurrency: 0 }).success).toBe(false);
    expect(validator.safeParse({ ...task, concurency: 1 }).success).toBe(false);
  });
});
