import type { Arguments } from './command.ts';

/** The arguments that yargs parsed, read as texts; `taskFields` names the options that are fields of the task. */
export function readArguments(
  parsed: Readonly<Record<string, unknown>>,
  taskFields: readonly string[],
): Arguments {
  const texts = (name: string): readonly string[] => {
    const value = parsed[name];
    return value === undefined ? [] : [value].flat().map(String);
  };
  const text = (name: string): string | undefined => texts(name).at(-1);
  const given = ['input', ...taskFields].map((path) => [path, texts(path)] as const);
  return {
    texts,
    text,
    isSet: (name) => text(name) === 'true',
    taskFlags: Object.fromEntries(given.filter(([, values]) => values.length > 0)),
  };
}
