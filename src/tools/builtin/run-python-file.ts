import { z } from 'zod';
import type { Tool } from '../../contracts/tool.ts';
import { defineTool } from '../define-tool.ts';
import { findPython } from '../sandbox/find-python.ts';
import { programFields, programTool, runToEnd } from '../sandbox/program-fields.ts';
import { realPlace } from '../sandbox/real-place.ts';
import type { BuiltinSettings } from './builtin-settings.ts';
import { encodeCode } from './encode-code.ts';

/** Built-in `run_python_file`: a file of the workspace, run by Python to its end in the sandbox. */
export function createRunPythonFile({ confinement = {} }: BuiltinSettings): Tool {
  return defineTool({
    name: 'run_python_file',
    description:
      'Runs a Python 3 file of the workspace to its end, with the workspace as its folder, and returns what it prints. It has no network, and can write the workspace and /tmp only; /tmp does not last.',
    input: z.strictObject({
      path: z.string().min(1).describe('The file, relative to the workspace.'),
      arguments: z
        .array(z.string().max(10_000))
        .max(100)
        .default([])
        .describe('Arguments for the program, as it finds them in sys.argv.'),
      ...programFields,
    }),
    ...programTool(confinement),
    argumentKinds: { path: 'path' },
    async run({ path, arguments: values, ...parameters }, context) {
      const given = values.map(encodeCode);
      const file = await realPlace(path, 'file', context);
      const { program, folders } = await findPython(confinement.path);
      const run = { name: path, command: program, args: [file, ...given], readable: folders };
      return runToEnd(context, confinement, run, parameters);
    },
  });
}
