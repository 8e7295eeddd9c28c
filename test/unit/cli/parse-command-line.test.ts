import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { COMMANDS } from '../../../src/cli/command-table.ts';
import { parseCommandLine } from '../../../src/cli/parse-command-line.ts';
import { OrchestratorError } from '../../../src/kernel/errors.ts';
import { recordIo } from './support.ts';

async function parse(...words: string[]) {
  const invocation = await parseCommandLine(words, recordIo());
  if (invocation === null) throw new Error('nothing to run');
  return invocation.args;
}

async function refusal(...words: string[]): Promise<OrchestratorError> {
  const error: unknown = await parse(...words).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(OrchestratorError);
  return error as OrchestratorError;
}

describe('a command line that is understood', () => {
  it('gives every field of the task as a text by its path', async () => {
    const args = await parse(
      'check',
      'task.yaml',
      '--budget.toolCalls=3',
      '--walk',
      'eager',
      '--models.planner=gpt',
    );
    expect(args.text('file')).toBe('task.yaml');
    expect(args.taskFlags).toEqual({ 'budget.toolCalls': ['3'], walk: ['eager'], 'models.planner': ['gpt'] });
  });

  it('gives inputs as they were written, each of them', async () => {
    const args = await parse('check', 'task.yaml', '--input', 'cities=Paris,Osaka', '--input', 'n=3');
    expect(args.taskFlags).toEqual({ input: ['cities=Paris,Osaka', 'n=3'] });
  });

  it('does not take a following word into a list', async () => {
    const args = await parse('check', '--input', 'a=b', 'task.yaml');
    expect(args.text('file')).toBe('task.yaml');
  });

  it('leaves an id of digits alone', async () => {
    const args = await parse('replay', '20261130', '--strict');
    expect(args.text('run')).toBe('20261130');
    expect(args.isSet('strict')).toBe(true);
  });

  it('keeps a value that looks like another type', async () => {
    const args = await parse('check', 'true', '--name=007', '--models.planner', 'true');
    expect(args.text('file')).toBe('true');
    expect(args.taskFlags).toEqual({ name: ['007'], 'models.planner': ['true'] });
  });
});

describe('a command line that is not understood', () => {
  it.each([
    [['chekc', 'task.yaml'], 'there is no command "chekc"', 'Did you mean `orchestrate check`?'],
    [
      ['check', 'task.yaml', '--budget.toolCall=3'],
      'there is no option --budget.toolCall',
      'Did you mean --budget.toolCalls?',
    ],
    [['check', 'task.yaml', '--jsn'], 'there is no option --jsn', 'Did you mean --json?'],
    [['check', '--jsn', 'task.yaml'], 'there is no option --jsn', 'Did you mean --json?'],
    [
      ['check', 'task.yaml', '--budget=3'],
      'there is no option --budget',
      'Its fields are options: --budget.tokens, --budget.toolCalls, --budget.llmCalls …',
    ],
    [
      ['check', 'task.yaml', '--cities=Lima'],
      'there is no option --cities',
      'An input of the task is given as --input cities=…',
    ],
    [['check'], 'an argument is missing: orchestrate check <file>', 'See `orchestrate check --help`.'],
    [['check', 'a.yaml', 'b.yaml'], 'one argument too many: "b.yaml"', 'See `orchestrate --help`.'],
    [['check', 'a.yaml', '--walk'], '--walk needs a value', 'See `orchestrate check --help`.'],
    [
      ['plan', 'a.yaml', '--format', 'svg'],
      'format: "svg" is none of "text", "json", "mermaid", "dot"',
      'See `orchestrate plan --help`.',
    ],
    [
      ['completion', 'fish'],
      'shell: "fish" is none of "bash", "zsh"',
      'See `orchestrate completion --help`.',
    ],
    [['--jsn'], 'no command was given', 'See `orchestrate --help`.'],
    [['check', 'a.yaml', '-x'], 'there is no option -x', 'See `orchestrate --help`.'],
    [['check', 'a.yaml', '--no-json'], 'there is no option --no-json', null],
  ])('%j', async (words, message, hint) => {
    const error = await refusal(...words);
    expect(error.message).toBe(message);
    expect(error.exitCode).toBe(2);
    if (hint !== null) expect(error.hint).toBe(hint);
  });
});

describe('a group of commands', () => {
  it('has commands with arguments of their own, also of names that stand alone too', async () => {
    const args = await parse('memory', 'search', 'import', '--limit', '3');
    expect([args.text('text'), args.text('limit')]).toEqual(['import', '3']);
    const forgotten = await parse('memory', '--scope', 'export', 'forget', 'a', '7');
    expect(forgotten.texts('ids')).toEqual(['a', '7']);
    expect(forgotten.text('scope')).toBe('export');
  });

  it('says what it holds where nothing more is said', async () => {
    const shown: string[] = [];
    const log = vi.spyOn(console, 'log').mockImplementation((text: string) => void shown.push(text));
    onTestFinished(() => log.mockRestore());
    expect(await parseCommandLine(['memory'], recordIo())).toBeNull();
    expect(shown.join('\n')).toMatch(/^ +orchestrate memory search <text> /m);
  });

  it.each([
    [
      ['memory', 'serach', 'x'],
      'there is no command "memory serach"',
      'Did you mean `orchestrate memory search`?',
    ],
    [['memory', '7'], 'there is no command "memory 7"', 'See `orchestrate memory --help`.'],
    [
      ['memory', 'search'],
      'an argument is missing: orchestrate memory search <text>',
      'See `orchestrate memory search --help`.',
    ],
    [['memory', 'search', 'x', '--limt', '3'], 'there is no option --limt', 'Did you mean --limit?'],
    [['memory', 'stats', 'x'], 'one argument too many: "x"', 'See `orchestrate --help`.'],
    [['memory', 'list', '--replace'], 'there is no option --replace', null],
  ])('%j is refused', async (words, message, hint) => {
    const error = await refusal(...words);
    expect(error.message).toBe(message);
    expect(error.exitCode).toBe(2);
    if (hint !== null) expect(error.hint).toBe(hint);
  });
});

describe('the table of commands', () => {
  const commands = Object.entries(COMMANDS).flatMap(([name, entry]) =>
    'load' in entry
      ? [[name, entry] as const]
      : Object.entries(entry.commands).map(([below, of]) => [`${name} ${below}`, of] as const),
  );

  it.each(commands)('%s has its positionals described', async (_name, { usage, load }) => {
    const command = await load();
    const named = [...usage.matchAll(/[<[](\w+)(?:\.\.)?[>\]]/g)].map(([, name]) => name);
    expect(Object.keys(command.positionals ?? {})).toEqual(named);
  });
});
