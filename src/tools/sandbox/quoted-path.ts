/** A path as JSON writes it, where it is not plain. */
export function quotedPath(path: string): string {
  if (/^[\p{L}\p{N}._/@+-]+$/u.test(path)) return path;
  const escape = (sign: string): string =>
    Array.from(
      { length: sign.length },
      (_, at) => `\\u${sign.charCodeAt(at).toString(16).padStart(4, '0')}`,
    ).join('');
  return JSON.stringify(path).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, escape);
}
