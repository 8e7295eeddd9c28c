import type { Command } from '../command.ts';
import { writeLine } from '../io.ts';

/** Prints the JSON Schema of the task file. */
export const schemaCommand: Command = {
  examples: [['orchestrate schema > task.schema.json', 'For the YAML support of an editor']],
  async run(_args, io) {
    const { taskJsonSchema } = await import('../../config/json-schema.ts');
    writeLine(io.stdout, JSON.stringify(taskJsonSchema(), null, 2));
    return 0;
  },
};
