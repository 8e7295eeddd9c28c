import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { code, pageHead } from './markdown.mjs';

const FIELDS = /^Fields of the task[^]*?(?=\n\n)/m;

/** @param {string} root */
export function renderCliPage(root) {
  const overview = help([], root);
  const names = [...overview.matchAll(/^ {2}orchestrate ([\w-]+)/gm)].map(([, name = '']) => name);
  const sections = names.flatMap((name) => {
    const text = help([name], root);
    const [below = ''] = /^Commands:\n[^]*?(?=\n\n)/m.exec(text) ?? [];
    const pattern = new RegExp(`^ {2}orchestrate ${name} ([\\w-]+)`, 'gm');
    return [
      renderSection(name, text),
      ...[...below.matchAll(pattern)].map(([, command = '']) =>
        renderSection(`${name} ${command}`, help([name, command], root)),
      ),
    ];
  });
  return [
    pageHead(
      'Command line',
      'the help of the built command',
      'The fields of the task, which `run`, `plan` and `check` take as options, are in [Task file](task-file.md).',
    ),
    `\`\`\`text\n${overview}\`\`\``,
    ...sections,
    'A run is named by its id, by a unique prefix of it, or by `last`. Exit codes are in [Exit codes](exit-codes.md).',
  ].join('\n\n');
}

/**
 * @param {string} command
 * @param {string} text
 */
function renderSection(command, text) {
  const shown = text.replace(
    FIELDS,
    'Fields of the task (over the environment and the file):\n      Every field of the task file, such as --budget.toolCalls=3 or --concurrency=2.',
  );
  return `## ${code(`orchestrate ${command}`)}\n\n\`\`\`text\n${shown}\`\`\``;
}

/**
 * @param {readonly string[]} words
 * @param {string} root
 */
function help(words, root) {
  const env = { PATH: process.env['PATH'] ?? '', LC_ALL: 'C.UTF-8', NO_COLOR: '1', COLUMNS: '100' };
  return execFileSync(process.execPath, [join(root, 'dist/cli.cjs'), ...words, '--help'], {
    encoding: 'utf8',
    env,
  });
}
