// A page as a session: its named blocks are files, its console blocks are commands that are really run, in order, in
// one scratch folder. So what a page shows is what the built command prints.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { readFences, replaceFences } from './fences.mjs';
import { isSameOutput } from './mask.mjs';

/** How the scratch folder is shown. */
const SHOWN_FOLDER = '~/tasks';
const PACKAGES = ['zod', 'city-timezones'];

/** A command of a console block with the output that stands there.
 * @typedef {{ command: string, output: string }} Step
 */

/**
 * The page with the present output of its commands; where that is the same but for times and the like, the page is
 * returned as it is.
 * @param {string} markdown
 * @param {string} root folder of the repository, with a built dist/
 */
export async function refreshSession(markdown, root) {
  const fences = readFences(markdown);
  if (!fences.some(({ language }) => language === 'console')) return markdown;
  const folder = openFolder(root);
  try {
    const texts = new Map();
    let exitCode = 0;
    for (const fence of fences) {
      if (fence.name !== '') writeSample(folder, fence.name, fence.text);
      if (fence.language !== 'console') continue;
      let text = '';
      for (const step of readSteps(fence.text)) {
        const { output, code } = await runCommand(step.command, folder, exitCode);
        exitCode = code;
        if (output.includes(root))
          throw new Error(`the output of "${step.command}" names ${root}:\n${output}`);
        const isSame = isSameOutput(output, step.output);
        text += `$ ${step.command}\n${isSame ? step.output : output}`;
      }
      if (text !== fence.text) texts.set(fence, text);
    }
    return replaceFences(markdown, texts);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * The commands of a console block; each begins with `$ `, its output follows.
 * @param {string} text
 * @returns {Step[]}
 */
export function readSteps(text) {
  /** @type {Step[]} */
  const steps = [];
  for (const line of text.split('\n').slice(0, -1)) {
    const step = steps.at(-1);
    if (line.startsWith('$ ')) steps.push({ command: line.slice(2), output: '' });
    else if (step === undefined) throw new Error(`a console block begins with a command, not: ${line}`);
    else step.output += `${line}\n`;
  }
  return steps;
}

/**
 * A folder with what a user's has after `npm install sortie`, and the examples.
 * @param {string} root
 */
function openFolder(root) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'sortie-docs-')));
  const modules = join(folder, 'node_modules');
  mkdirSync(join(modules, '.bin'), { recursive: true });
  symlinkSync(root, join(modules, 'sortie'));
  symlinkSync(join(root, 'dist', 'cli.cjs'), join(modules, '.bin', 'orchestrate'));
  for (const name of PACKAGES) symlinkSync(join(root, 'node_modules', name), join(modules, name));
  symlinkSync(join(root, 'examples'), join(folder, 'examples'));
  symlinkSync(join(root, 'test'), join(folder, 'test'));
  return folder;
}

/**
 * @param {string} folder
 * @param {string} name
 * @param {string} text
 */
function writeSample(folder, name, text) {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/**
 * Runs a command in bash as somebody would who reads the page; `lastCode` is what `$?` holds.
 * @param {string} command
 * @param {string} folder
 * @param {number} lastCode
 * @returns {Promise<{ output: string, code: number }>}
 */
function runCommand(command, folder, lastCode) {
  const child = spawn('bash', ['-c', `exec 2>&1\n(exit ${String(lastCode)})\n${command}`], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'ignore'],
    env: {
      PATH: [join(folder, 'node_modules', '.bin'), dirname(process.execPath), process.env['PATH']].join(
        delimiter,
      ),
      HOME: folder,
      LC_ALL: 'C.UTF-8',
      TZ: 'UTC',
      NO_COLOR: '1',
      COLUMNS: '100',
    },
  });
  return new Promise((resolve, reject) => {
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (chunk) => {
      output += chunk;
    });
    child.on('error', reject);
    child.on('close', (code) => {
      const shown = output.replaceAll(folder, SHOWN_FOLDER).replace(/[ \t]+$/gm, '');
      resolve({ output: shown === '' || shown.endsWith('\n') ? shown : `${shown}\n`, code: code ?? 1 });
    });
  });
}
