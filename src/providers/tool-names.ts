import { sha256 } from '../kernel/hash.ts';

const WIRE_NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** A name as every API takes it, at most 64 of `[A-Za-z0-9_-]`; the same for the same name always. */
export function wireName(name: string): string {
  if (WIRE_NAME.test(name)) return name;
  return `${name.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 55)}_${sha256(name).slice(0, 8)}`;
}
