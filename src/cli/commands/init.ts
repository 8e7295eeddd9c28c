import { existsSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { OrchestratorError } from '../../kernel/errors.ts';
import type { Command } from '../command.ts';
import { INIT_FILES } from '../init-files.ts';
import { writeLine } from '../io.ts';
import { shellWord } from '../shell-word.ts';
import { createStyle } from '../style.ts';
import { usageError } from '../usage-error.ts';

/** Writes a first task; refuses, and writes nothing, where one of its files is there already. */
export const initCommand: Command = {
  positionals: {
    folder: { type: 'string', default: '.', describe: 'Where to write task.yaml, tools.ts and mock.ts' },
  },
  examples: [['orchestrate init && orchestrate run task.yaml', 'From nothing to a verified result']],
  async run(args, io) {
    const folder = args.text('folder') ?? '.';
    const names = Object.keys(INIT_FILES);
    const present = names.filter((name) => existsSync(join(folder, name)));
    if (present.length > 0) {
      throw usageError(
        `${present.map((name) => join(folder, name)).join(', ')}: already there; nothing was written`,
        'Name another folder: `orchestrate init my-task`.',
      );
    }
    await writeFiles(folder);
    const style = createStyle(io.stdout, io.env);
    for (const name of names) writeLine(io.stdout, `${style.green('wrote')} ${join(folder, name)}`);
    writeLine(io.stdout, `\nNext: orchestrate run ${shellWord(join(folder, 'task.yaml'))}`);
    return 0;
  },
};

async function writeFiles(folder: string): Promise<void> {
  const made: string[] = [];
  try {
    const { makeFolder, realDisk } = await import('../../compose.ts');
    await makeFolder(realDisk, folder);
    for (const [name, content] of Object.entries(INIT_FILES)) {
      const path = join(folder, name);
      const file = await open(path, 'wx');
      made.push(path);
      await file.writeFile(content).finally(() => file.close());
    }
  } catch (error) {
    // What is half there would keep the next attempt from its place.
    for (const path of made) await rm(path, { force: true }).catch(() => undefined);
    const reason = error instanceof Error ? error.message : String(error);
    throw new OrchestratorError('usage', `cannot write into ${folder}: ${reason}`, {
      hint: 'Name a folder that can be written.',
      cause: error,
    });
  }
}
