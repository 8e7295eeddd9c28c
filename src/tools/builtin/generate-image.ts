import { z } from 'zod';
import { ToolError } from '../../kernel/errors.ts';
import { defineTool } from '../define-tool.ts';
import { replaceWorkspaceFile } from '../workspace/change-workspace-file.ts';

/** Most output tokens that an image of a quality takes, in the largest size. */
const MOST_TOKENS = { low: 420, medium: 1600, high: 6300 } as const;

const MEDIA_TYPES = new Map([
  ['png', 'image/png'],
  ['jpg', 'image/jpeg'],
  ['jpeg', 'image/jpeg'],
  ['webp', 'image/webp'],
] as const);

/** Built-in `generate_image`: an image from a description, as a file of the workspace. */
export const generateImage = defineTool({
  name: 'generate_image',
  description:
    'Has a model (role painter) make an image from a description and writes it into a file of the workspace. Replaces a file of that name.',
  input: z.strictObject({
    prompt: z.string().min(1).max(4000).describe('What the image shows, and in which manner.'),
    path: z
      .string()
      .min(1)
      .describe('Path of the file, relative to the workspace; ends in .png, .jpg or .webp.'),
    size: z
      .enum(['1024x1024', '1536x1024', '1024x1536'])
      .default('1024x1024')
      .describe('Width and height in pixels.'),
    quality: z.enum(['low', 'medium', 'high']).default('medium').describe('How fine it is, and how dear.'),
  }),
  output: z.strictObject({
    path: z.string(),
    bytes: z.int().positive(),
    mediaType: z.enum(['image/png', 'image/jpeg', 'image/webp']),
  }),
  costHint: 5,
  effect: 'write',
  idempotent: true,
  timeoutMs: 300_000,
  argumentKinds: { path: 'path' },
  async run({ prompt, path, size, quality }, { ask, workspace, signal, permits, kept }) {
    const wanted = typeOfPath(path);
    const answer = await ask('painter', {
      prompt,
      maxOutputTokens: MOST_TOKENS[quality],
      media: { kind: 'image', size, quality, mediaType: wanted },
    });
    const bytes = Buffer.from(answer, 'base64');
    const mediaType = typeOfImage(bytes);
    if (mediaType === null) throw new ToolError('PERMANENT', 'what the model made is no image');
    await replaceWorkspaceFile(path, { workspace, signal, permits, kept }, (handle) =>
      handle.writeFile(bytes),
    );
    return { path, bytes: bytes.length, mediaType };
  },
});

type ImageType = 'image/png' | 'image/jpeg' | 'image/webp';

function typeOfPath(path: string): ImageType {
  const ending = /\.(png|jpe?g|webp)$/i.exec(path)?.[1]?.toLowerCase();
  const type = MEDIA_TYPES.get(ending as 'png');
  if (type !== undefined) return type;
  throw new ToolError('TOOL_MISUSE', 'the path has to end in .png, .jpg or .webp', { details: { path } });
}

/** What the first bytes say; some servers make one kind whatever is asked for. */
function typeOfImage(bytes: Buffer): ImageType | null {
  if (bytes.subarray(0, 8).toString('latin1') === '\x89PNG\r\n\x1a\n') return 'image/png';
  if (bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff) return 'image/jpeg';
  const isRiff = bytes.subarray(0, 4).toString('latin1') === 'RIFF';
  return isRiff && bytes.subarray(8, 12).toString('latin1') === 'WEBP' ? 'image/webp' : null;
}
