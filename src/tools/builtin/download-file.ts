import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Tool } from '../../contracts/tool.ts';
import { ToolError } from '../../kernel/errors.ts';
import { defineTool } from '../define-tool.ts';
import { mediaType } from '../web/decode-text.ts';
import type { HttpAnswer } from '../web/http-client.ts';
import { bodyChunks } from '../web/read-body.ts';
import { refuseStatus } from '../web/refuse-status.ts';
import { replaceWorkspaceFile } from '../workspace/change-workspace-file.ts';
import type { BuiltinSettings } from './builtin-settings.ts';
import { httpClientOf } from './http-client-of.ts';
import { headersField, urlField } from './http-fields.ts';

const MAX_BYTES = 1024 * 1024 * 1024;
const DEFAULT_BYTES = 100 * 1024 * 1024;

/** Built-in `download_file`: what an address gives, as a file of the workspace. */
export function createDownloadFile(settings: BuiltinSettings): Tool {
  const client = httpClientOf(settings);
  return defineTool({
    name: 'download_file',
    description:
      'Downloads what an address of the public web gives into a file of the workspace, whole or not at all, and returns its size and SHA-256. Replaces a file of that name.',
    input: z.strictObject({
      url: urlField,
      path: z.string().min(1).describe('Path of the file, relative to the workspace.'),
      headers: headersField,
      maxBytes: z
        .int()
        .min(1)
        .max(MAX_BYTES)
        .default(DEFAULT_BYTES)
        .describe('Size from which the download is given up.'),
    }),
    output: z.strictObject({
      path: z.string(),
      url: z.string().describe('Where it came from, after redirects.'),
      bytes: z.int().nonnegative(),
      sha256: z.string(),
      contentType: z.string(),
    }),
    costHint: 1,
    effect: 'write',
    idempotent: true,
    openWorld: true,
    timeoutMs: 600_000,
    argumentKinds: { url: 'url', path: 'path' },
    async run({ url, path, headers, maxBytes }, { workspace, signal, trace, permits, kept }) {
      const answer = await client.send({ url, headers, signal, trace, permits });
      try {
        refuseStatus(answer);
        refuseSize(answer, maxBytes);
        const hash = createHash('sha256');
        let bytes = 0;
        await replaceWorkspaceFile(path, { workspace, signal, permits, kept }, async (handle) => {
          for await (const chunk of bodyChunks(answer, maxBytes)) {
            bytes += chunk.length;
            if (bytes > maxBytes) throw tooLarge(answer, maxBytes);
            hash.update(chunk);
            await handle.writeFile(chunk);
          }
        });
        const contentType = mediaType(answer.headers['content-type']);
        return { path, url: answer.url.href, bytes, sha256: hash.digest('hex'), contentType };
      } finally {
        answer.stream.destroy();
      }
    },
  });
}

function refuseSize(answer: HttpAnswer, maxBytes: number): void {
  if (Number(answer.headers['content-length'] ?? 0) > maxBytes) throw tooLarge(answer, maxBytes);
}

function tooLarge({ url }: HttpAnswer, maxBytes: number): ToolError {
  return new ToolError('PERMANENT', `${url.href} is larger than ${maxBytes} bytes`, {
    details: { url: url.href, maxBytes },
  });
}
