import { ToolError } from '../../kernel/errors.ts';

const MAX_URL_CHARS = 8192;

/** Ports of services that understand enough of a request to be misled by it (those that browsers refuse). */
const REFUSED_PORTS = new Set(
  [
    '1 7 9 11 13 15 17 19 20 21 22 23 25 37 42 43 53 69 77 79 87 95 101 102 103 104 109 110 111 113 115 117 119 123',
    '135 137 139 143 161 179 389 427 465 512 513 514 515 526 530 531 532 540 548 554 556 563 587 601 636 989 990 993',
    '995 1719 1720 1723 2049 3659 4045 4190 5060 5061 6000 6379 6566 6665 6666 6667 6668 6669 6679 6697 10080 11211',
  ].flatMap((line) => line.split(' ')),
);

/**
 * The address that a text stands for: http or https, in its normal form and without a fragment. Throws a ToolError of
 * class TOOL_MISUSE for what is none, and for what readers of addresses understand differently.
 */
export function parseWebUrl(text: string): URL {
  if (text.length > MAX_URL_CHARS) throw misuse('the address is longer than 8192 characters', '');
  // A parser takes white space out and turns backslashes around, so that what is read is not what stands there.
  if (/[\s\\\p{Cc}\p{Cf}]/u.test(text)) throw misuse('the address holds white space or a backslash', text);
  if (!URL.canParse(text)) throw misuse(`${JSON.stringify(text)} is no address`, text);
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw misuse(`${JSON.stringify(text)} is no address of the web (http or https)`, text);
  }
  if (!/^https?:\/\/[^/]/i.test(text))
    throw misuse(`${JSON.stringify(text)} names no host after its scheme`, text);
  if (url.username !== '' || url.password !== '' || /^[^/]*\/\/[^/?#]*@/.test(text)) {
    throw misuse('the address holds a user name; send credentials in a header', '');
  }
  if (REFUSED_PORTS.has(url.port)) throw misuse(`port ${url.port} is not one of the web`, text);
  url.hash = '';
  return url;
}

/** The host of an address as a resolver takes it: without brackets, and without the dot at its end. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
}

function misuse(message: string, url: string): ToolError {
  return new ToolError('TOOL_MISUSE', message, { details: url === '' ? {} : { url } });
}
