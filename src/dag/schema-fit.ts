import type { JsonSchema } from '../contracts/schema.ts';
import { canonicalJson } from '../kernel/canonical-json.ts';
import { isJsonObject, type Json, type JsonObject } from '../kernel/json.ts';
import { stepInto, typesOf, valuesOf } from './schema-step.ts';

/** How deep two schemas are compared; what lies deeper is checked before the call. */
const MAX_DEPTH = 8;

/**
 * Why no value of one schema can be what another wants, such as `string where number is needed`; null where some can
 * or where it is not known. A list counts by its items, though an empty one would fit anything.
 */
export function findMisfit(given: JsonSchema, wanted: JsonSchema, depth = 0): string | null {
  if (typeof given === 'boolean' || typeof wanted === 'boolean' || depth > MAX_DEPTH) return null;
  const givenTypes = typesOf(given);
  const wantedTypes = typesOf(wanted);
  if (givenTypes === null || wantedTypes === null) return null;
  const shared = givenTypes.filter((type) => wantedTypes.some((other) => mayBeBoth(type, other)));
  if (shared.length === 0) return `${givenTypes.join(' or ')} where ${wantedTypes.join(' or ')} is needed`;
  if (areDisjoint(valuesOf(given), valuesOf(wanted))) return 'none of the values that are allowed';
  if (shared.length > 1) return null;
  if (shared[0] === 'array') return findItemMisfit(given, wanted, depth);
  return shared[0] === 'object' ? findMemberMisfit(given, wanted, depth) : null;
}

function mayBeBoth(given: string, wanted: string): boolean {
  return given === wanted || (isNumeric(given) && isNumeric(wanted));
}

function isNumeric(type: string): boolean {
  return type === 'number' || type === 'integer';
}

function areDisjoint(given: readonly Json[] | null, wanted: readonly Json[] | null): boolean {
  if (given === null || wanted === null) return false;
  const allowed = new Set(wanted.map(canonicalJson));
  return !given.some((value) => allowed.has(canonicalJson(value)));
}

function findItemMisfit(given: JsonObject, wanted: JsonObject, depth: number): string | null {
  const [givenItems, wantedItems] = [given['items'], wanted['items']];
  if (!isJsonObject(givenItems) || !isJsonObject(wantedItems)) return null;
  const misfit = findMisfit(givenItems, wantedItems, depth + 1);
  return misfit === null ? null : `its items: ${misfit}`;
}

function findMemberMisfit(given: JsonObject, wanted: JsonObject, depth: number): string | null {
  const required = stringsOf(wanted['required']);
  const certain = stringsOf(given['required']);
  for (const name of new Set([...required, ...certain])) {
    const offered = stepInto(given, name);
    const expected = stepInto(wanted, name);
    if (required.includes(name) && offered === 'missing') return `it has no "${name}"`;
    if (certain.includes(name) && expected === 'missing' && wanted['additionalProperties'] === false) {
      return `"${name}" is not taken`;
    }
    if (typeof offered !== 'object' || typeof expected !== 'object') continue;
    const misfit = findMisfit(offered, expected, depth + 1);
    if (misfit !== null) return `its "${name}": ${misfit}`;
  }
  return null;
}

function stringsOf(value: Json | undefined): readonly string[] {
  return Array.isArray(value) ? (value as readonly Json[]).filter((item) => typeof item === 'string') : [];
}
