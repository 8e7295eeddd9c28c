import { resolveRef } from '../../contracts/schema-steps.ts';
import { isJsonObject, type Json, type JsonObject } from '../../kernel/json.ts';
import { isKnownPattern } from './known-patterns.ts';
import { stepsOf } from './risky-pattern.ts';

const MAX_NODES = 10_000;
/** Most steps that all patterns together may take for each character of the texts that they are held against. */
const MAX_PATTERN_STEPS = 2000;
/** Steps of one of zod's for each character. */
const KNOWN_STEPS = 4;
/** Values of these are data or what references lead to, not what a value is held to at once. */
const APART: ReadonlySet<string> = new Set([
  ...['$defs', 'definitions', 'const', 'enum', 'default', 'examples', 'required', 'type'],
]);
/** A schema under these is held against the same value as the one that it stands in. */
const SAME_VALUE: ReadonlySet<string> = new Set(['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else']);

/**
 * Why a schema is too much work, its references written out wherever they stand; null where it is not. One that leads back
 * to where it stands is written out no further.
 */
export function sizeFault(schema: JsonObject): string | null {
  let left = MAX_NODES;
  let steps = 0;
  const stepsBy = new Map<string, number>();
  const count = (pattern: string): void => {
    const known = stepsBy.get(pattern) ?? (isKnownPattern(pattern) ? KNOWN_STEPS : stepsOf(pattern));
    stepsBy.set(pattern, known);
    steps += known;
  };
  const endless = new Set<Json>();
  /** The schemas that are being written out, each with the depth of the value that it was held against. */
  const open = new Map<Json, number>();
  const visit = (part: Json, depth: number): void => {
    if (typeof part !== 'object' || part === null || --left < 0) return;
    if (Array.isArray(part)) {
      for (const each of part as readonly Json[]) visit(each, depth);
      return;
    }
    const before = open.get(part);
    if (before !== undefined) {
      if (before === depth) endless.add(part);
      return;
    }
    open.set(part, depth);
    const { pattern, patternProperties } = part as JsonObject;
    if (typeof pattern === 'string') count(pattern);
    if (isJsonObject(patternProperties)) Object.keys(patternProperties).forEach(count);
    for (const [keyword, child] of Object.entries<Json>(part as JsonObject)) {
      if (left < 0 || APART.has(keyword)) continue;
      if (keyword === '$ref' && typeof child === 'string') visit(resolveRef(schema, child) ?? null, depth);
      else visit(child, SAME_VALUE.has(keyword) ? depth : depth + 1);
    }
    open.delete(part);
  };
  visit(schema, 0);
  if (endless.size > 0) return 'refers to itself without end';
  if (steps > MAX_PATTERN_STEPS) return 'has patterns that together might take too long';
  return left < 0 ? `comes to more than ${MAX_NODES} parts when its references are written out` : null;
}
