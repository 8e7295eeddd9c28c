import { ToolError } from '../../kernel/errors.ts';
import type { HttpAnswer } from './http-client.ts';

const TRANSIENT = new Set([408, 425, 429, 500, 502, 503, 504]);
const MISSING = new Set([404, 410]);

/** Throws where a server did not give what it was asked for; its answer is then not read. */
export function refuseStatus({ status, url, headers, stream }: HttpAnswer): void {
  if (status >= 200 && status < 300) return;
  stream.destroy();
  const details = { url: url.href, status };
  const message = `${url.host} answered ${status} for ${url.pathname}`;
  if (MISSING.has(status)) throw new ToolError('MISSING_INFO', message, { details });
  if (!TRANSIENT.has(status)) throw new ToolError('PERMANENT', message, { details });
  const retryAfterMs = delayOf(headers['retry-after']);
  throw new ToolError('TRANSIENT', message, {
    details,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}

function delayOf(header: string | undefined): number | undefined {
  if (header === undefined) return undefined;
  if (/^\s*\d{1,9}\s*$/.test(header)) return Number(header) * 1000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}
