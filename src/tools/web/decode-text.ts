import { ToolError } from '../../kernel/errors.ts';

/** The kind of content that a header names, in lower case and without its parameters; empty where it names none. */
export function mediaType(contentType: string | undefined): string {
  return (contentType ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
}

/** Whether a kind of content is HTML. */
export function isHtml(type: string): boolean {
  return type === 'text/html' || type === 'application/xhtml+xml';
}

/** Whether a kind of content is JSON. */
export function isJson(type: string): boolean {
  return type === 'application/json' || type.endsWith('+json');
}

/** The text of a body, by the character set that its header or the page itself names; throws where it is no text. */
export function decodeText(bytes: Buffer, contentType: string | undefined): string {
  const type = mediaType(contentType);
  if (!isTextual(type) || (type === '' && bytes.subarray(0, 1024).includes(0))) {
    throw new ToolError(
      'PERMANENT',
      `the answer is ${type === '' ? 'no text' : type}, not text; use download_file`,
      {
        details: { contentType: type },
      },
    );
  }
  return decode(bytes, charsetOf(bytes, contentType, type));
}

function isTextual(type: string): boolean {
  return (
    type === '' ||
    type.startsWith('text/') ||
    /^application\/(?:.*\+)?(?:json|xml|yaml|x-yaml|javascript|ecmascript|toml|sql|graphql|csv)$/.test(
      type,
    ) ||
    /^application\/(?:x-ndjson|jsonl|x-javascript|xhtml\+xml|x-www-form-urlencoded|x-sh|x-httpd-php)$/.test(
      type,
    ) ||
    type === 'image/svg+xml'
  );
}

function charsetOf(bytes: Buffer, contentType: string | undefined, type: string): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  const named = /;\s*charset\s*=\s*"?([\w.:-]+)/i.exec(contentType ?? '')?.[1];
  if (named !== undefined) return named;
  if (!isHtml(type) && !type.includes('xml')) return 'utf-8';
  const start = bytes.subarray(0, 2048).toString('latin1');
  const declared =
    /<meta[^>]{0,200}?charset\s*=\s*["']?([\w.:-]+)|<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w.:-]+)/i;
  const found = declared.exec(start);
  return found?.[1] ?? found?.[2] ?? 'utf-8';
}

function decode(bytes: Buffer, charset: string): string {
  try {
    const decoder = new TextDecoder(charset);
    return decoder.encoding === 'windows-1252' ? decodeWestern(bytes) : decoder.decode(bytes);
  } catch {
    // A character set that nobody knows: most of the text is ASCII all the same.
    return new TextDecoder().decode(bytes);
  }
}

/** What windows-1252 has where Latin-1 has controls; Node before 23 decodes one as the other. */
const WESTERN = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';

function decodeWestern(bytes: Buffer): string {
  return bytes
    .toString('latin1')
    .replace(/[\u0080-\u009f]/g, (character) => WESTERN.charAt(character.charCodeAt(0) - 0x80));
}
