import { hash } from 'node:crypto';
import { canonicalJson } from './canonical-json.ts';
import type { Json } from './json.ts';

/** SHA-256 of a text, as 64 hexadecimal digits. */
export function sha256(text: string): string {
  return hash('sha256', text);
}

/** SHA-256 of the canonical JSON of a value, as 64 hexadecimal digits. */
export function hashJson(value: Json): string {
  return hash('sha256', canonicalJson(value));
}
