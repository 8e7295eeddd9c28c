import type { Options } from 'yargs';
import { listTaskOptions, type TaskOption } from '../config/task-options.ts';

const GROUP = 'Fields of the task (over the environment and the file):';

/** Every field of the task as an option, `budget.toolCalls` for one; names of the user's own stand as `<name>`. */
export function taskFieldOptions(): Record<string, Options> {
  return Object.fromEntries(listTaskOptions().map((field) => [field.path, toOption(field)]));
}

/** The options among these words that name a field behind a name of the user's own, such as `models.planner`. */
export function namedFieldOptions(words: readonly string[]): Record<string, Options> {
  const patterns = listTaskOptions()
    .filter((field) => field.path.includes('<name>'))
    .map((field) => ({ field, pattern: toPattern(field.path) }));
  const options: Record<string, Options> = {};
  for (const word of words) {
    const path = /^--([^=]+)/.exec(word)?.[1];
    // As short as --input is for inputs.
    const whole = path?.replace(/^input\./, 'inputs.') ?? '';
    const field = patterns.find(({ pattern }) => pattern.test(whole))?.field;
    if (path !== undefined && field !== undefined) options[path] = { ...toOption(field), hidden: true };
  }
  return options;
}

function toPattern(path: string): RegExp {
  const steps = path.split('.').map((step) => (step === '<name>' ? '.+' : step.replace(/\W/g, '\\$&')));
  return new RegExp(`^${steps.join('\\.')}$`);
}

function toOption(field: TaskOption): Options {
  const notes = [
    ...(field.choices === undefined ? [] : [field.choices.join('|')]),
    ...(field.default === undefined ? [] : [`default ${JSON.stringify(field.default)}`]),
  ];
  return {
    // Read as the schema says by config, which knows the type and names what is wrong.
    type: 'string',
    requiresArg: true,
    group: GROUP,
    describe: notes.length === 0 ? field.description : `${field.description} (${notes.join('; ')})`,
  };
}
