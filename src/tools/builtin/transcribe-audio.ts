import { z } from 'zod';
import { ToolError } from '../../kernel/errors.ts';
import { defineTool } from '../define-tool.ts';
import { readWorkspaceBytes } from '../workspace/read-workspace-file.ts';

const MAX_BYTES = 10 * 1024 * 1024;

const MEDIA_TYPES: ReadonlyMap<string, string> = new Map([
  ['mp3', 'audio/mp3'],
  ['mpga', 'audio/mpga'],
  ['mpeg', 'audio/mpeg'],
  ['mp4', 'audio/mp4'],
  ['m4a', 'audio/m4a'],
  ['wav', 'audio/wav'],
  ['webm', 'audio/webm'],
  ['flac', 'audio/flac'],
  ['ogg', 'audio/ogg'],
]);

/** Built-in `transcribe_audio`: what is said in a recording of the workspace. */
export const transcribeAudio = defineTool({
  name: 'transcribe_audio',
  description:
    'Has a model (role transcriber) write down what is said in an audio file of the workspace (mp3, mp4, m4a, wav, webm, flac or ogg; at most 10 MiB).',
  input: z.strictObject({
    path: z.string().min(1).describe('Path of the audio file, relative to the workspace.'),
    language: z
      .string()
      .regex(/^[a-z]{2,3}$/, 'expected a code such as en')
      .optional()
      .describe('Language that is spoken, such as en; found out where not given.'),
    hint: z
      .string()
      .max(1000)
      .default('')
      .describe('Names and terms that are spoken, so that they are spelled right.'),
  }),
  output: z.strictObject({ text: z.string() }),
  costHint: 3,
  effect: 'read',
  openWorld: true,
  timeoutMs: 300_000,
  argumentKinds: { path: 'path' },
  async run({ path, language, hint }, { ask, workspace, signal, permits, kept }) {
    const mediaType = MEDIA_TYPES.get(/\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? '');
    if (mediaType === undefined) {
      const endings = [...MEDIA_TYPES.keys()].join(', ');
      throw new ToolError('TOOL_MISUSE', `the name of an audio file ends in one of ${endings}`, {
        details: { path },
      });
    }
    const bytes = await readWorkspaceBytes(path, { workspace, signal, permits, kept, maxBytes: MAX_BYTES });
    if (bytes.length === 0) throw new ToolError('MISSING_INFO', `${JSON.stringify(path)} is empty`);
    const text = await ask('transcriber', {
      prompt: hint,
      media: {
        kind: 'transcript',
        mediaType,
        data: bytes.toString('base64'),
        ...(language === undefined ? {} : { language }),
      },
    });
    return { text };
  },
});
