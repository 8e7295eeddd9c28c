import { z } from 'zod';
import type { Tool } from '../../contracts/tool.ts';
import { defineTool } from '../define-tool.ts';
import { findPython } from '../sandbox/find-python.ts';
import { MAX_CODE_BYTES, programFields, programTool, runToEnd } from '../sandbox/program-fields.ts';
import { encodeCode } from './encode-code.ts';
import type { BuiltinSettings } from './builtin-settings.ts';

/** Built-in `run_python`: a program in Python, run to its end in the sandbox. */
export function createRunPython({ confinement = {} }: BuiltinSettings): Tool {
  return defineTool({
    name: 'run_python',
    description:
      'Runs a program in Python 3 to its end, with the workspace as its folder, and returns what it prints. It has no network, and can write the workspace and /tmp only; /tmp does not last.',
    input: z.strictObject({
      code: z.string().min(1).max(MAX_CODE_BYTES).describe('The program; print what is to be returned.'),
      ...programFields,
    }),
    ...programTool(confinement),
    argumentKinds: { code: 'code' },
    async run({ code, ...parameters }, context) {
      const args = ['-c', encodeCode(code)];
      const { program, folders } = await findPython(confinement.path);
      const run = { name: 'the program', command: program, args, readable: folders };
      return runToEnd(context, confinement, run, parameters);
    },
  });
}
