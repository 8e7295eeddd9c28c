import { formatBytes } from '../../../views/format-amounts.ts';
import { type Command } from '../../command.ts';
import { listenForInterrupt } from '../../interrupt.ts';
import { writeLine } from '../../io.ts';
import { createMemoryProgress } from '../../memory-progress.ts';
import { MEMORY_OPTIONS, memoryChoice } from '../../memory-session.ts';
import { createStyle } from '../../style.ts';

const { json, task } = MEMORY_OPTIONS;

/** Downloads what is missing or damaged of the model, and verifies it. */
export const memoryPullCommand: Command = {
  options: { json, task },
  examples: [
    ['orchestrate memory pull', 'From Hugging Face into the cache of the user; goes on where it stopped'],
    ['HF_ENDPOINT=https://hub.example orchestrate memory pull', 'From another hub'],
  ],
  async run(args, io) {
    const { readMemorySettings } = await import('../../../compose/memory-admin.ts');
    const { pullMemoryModel } = await import('../../../compose/memory-admin-model.ts');
    const settings = await readMemorySettings(memoryChoice(args, io));
    const endpoint = io.env['HF_ENDPOINT'];
    const progress = createMemoryProgress('pulling', io);
    const interrupt = listenForInterrupt(
      () => progress.note('Interrupted: what came is kept.'),
      () => progress.close(),
    );
    try {
      const pulled = await pullMemoryModel(settings, {
        ...(endpoint === undefined || endpoint === '' ? {} : { endpoint }),
        signal: interrupt.signal,
        onProgress: ({ receivedBytes, totalBytes }) =>
          progress.show(
            receivedBytes,
            totalBytes,
            `${formatBytes(receivedBytes)} of ${formatBytes(totalBytes)}`,
          ),
      });
      progress.close();
      const { model, folder, bytes, isPulled } = pulled;
      if (args.isSet('json')) {
        writeLine(io.stdout, JSON.stringify(pulled, null, 2));
        return 0;
      }
      const style = createStyle(io.stdout, io.env);
      writeLine(
        io.stdout,
        isPulled
          ? `${style.green('pulled')} ${model} to ${folder} (${formatBytes(bytes)}, sizes and SHA-256 verified)`
          : `${model} is whole already in ${folder} (${formatBytes(bytes)}, sizes and SHA-256 verified): nothing to pull`,
      );
      writeLine(io.stdout, '\nNext: orchestrate memory reindex · orchestrate doctor');
      return 0;
    } finally {
      progress.close();
      interrupt.dispose();
    }
  },
};
