import { isJsonObject, type Json, type JsonObject } from '../kernel/json.ts';

/** Applied to the same value as the schema that they stand in, so that work may double with each. */
const COMBINATORS = ['allOf', 'anyOf', 'oneOf'] as const;
const BRANCHING: ReadonlySet<string> = new Set([...COMBINATORS, '$ref', 'patternProperties']);
/** A value is held to each of these, whatever it is: where there are many, a small value is much work. */
const LISTS: ReadonlySet<string> = new Set(['properties', 'required', 'enum', 'type']);
const MAX_SHORT_LIST = 16;
/** Values of fewer parts are no work for a schema that does not branch. */
const MAX_SMALL_PARTS = 100_000;
/** Keywords that a value may break whatever its type and parts are. */
const CONSTRAINTS: ReadonlySet<string> = new Set([
  ...['const', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'format'],
  ...['pattern', 'minLength', 'maxLength', 'minItems', 'maxItems', 'uniqueItems', 'contains'],
  ...['minProperties', 'maxProperties'],
]);
/** What breaks a schema is written down, which takes more than to see that it holds. */
const ISSUE_STEPS = 8;

const branching = new WeakMap<object, boolean>();

/**
 * Whether more than `limit` pairs of a schema and a value have to be looked at to validate the value. Counted before any
 * of it is validated: with references and alternatives, a small schema can make a small value endless work.
 */
export function takesMoreSteps(schema: JsonObject, value: Json, limit: number): boolean {
  const branches = isBranching(schema);
  if (!branches && partsLeft(value, MAX_SMALL_PARTS) >= 0) return false;
  let left = limit - 1;
  const parts: JsonObject[] = [schema];
  const values: Json[] = [value];
  const targets = new Map<string, Json | undefined>();
  const follow = (ref: string): Json | undefined => {
    if (!targets.has(ref)) targets.set(ref, resolveRef(schema, ref));
    return targets.get(ref);
  };
  // What one of several ways says against a value is not told where another holds.
  const add = (part: Json | undefined, at: Json, issueSteps = 0): void => {
    if (part === undefined) return;
    if (branches || isConstrained(part)) left--;
    if (isJsonObject(part)) left -= ownSteps(part, at, issueSteps);
    if (left < 0 || !isJsonObject(part)) return;
    parts.push(part);
    values.push(at);
  };
  for (let part = parts.pop(); part !== undefined && left >= 0; part = parts.pop()) {
    const at = values.pop() as Json;
    const { $ref, type, properties, patternProperties, items, prefixItems } = part;
    if (typeof $ref === 'string') add(follow($ref), at);
    for (const keyword of COMBINATORS) for (const each of listOf(part[keyword])) add(each, at);
    if (Array.isArray(at) && (typeof type !== 'string' || type === 'array')) {
      const first = listOf(prefixItems ?? items);
      const others = Array.isArray(items) ? part['additionalItems'] : items;
      for (let index = 0; index < at.length && left >= 0; index++) {
        add(first[index] ?? others, at[index] as Json, ISSUE_STEPS);
        add(part['contains'], at[index] as Json);
      }
    } else if (isJsonObject(at) && (typeof type !== 'string' || type === 'object')) {
      const named = isJsonObject(properties) ? properties : {};
      const patterned = isJsonObject(patternProperties) ? Object.values<Json>(patternProperties) : [];
      for (const key of Object.keys(at)) {
        if (left < 0) break;
        const inside = at[key] as Json;
        add(Object.hasOwn(named, key) ? named[key] : part['additionalProperties'], inside, ISSUE_STEPS);
        add(part['propertyNames'], key);
        for (const each of patterned) add(each, inside, ISSUE_STEPS);
      }
    }
  }
  return left < 0;
}

/** What a reference within a document leads to, read as the validator reads it; undefined where it leads nowhere. */
export function resolveRef(root: JsonObject, ref: string): Json | undefined {
  const [keyword, name] = ref.slice(1).split('/').filter(Boolean);
  if (keyword === undefined) return root;
  const named = root['$defs'] ?? root['definitions'];
  if (name === undefined || !isJsonObject(named)) return undefined;
  return named[name.replace(/~1/g, '/').replace(/~0/g, '~')];
}

/** The steps to hold a value to what a schema says of it alone, not of what is in it, beyond the one of each part. */
function ownSteps(part: JsonObject, value: Json, issueSteps: number): number {
  const { type, enum: options, required, properties, additionalProperties } = part;
  const types = typeof type === 'string' ? [type] : listOf(type);
  let steps = types.length > 1 ? types.length : 0;
  if (types.length > 0 && !types.some((each) => isOfType(value, each))) steps += types.length * issueSteps;
  if (Array.isArray(options)) {
    const place = options.indexOf(value);
    if (place === -1) steps += options.length + issueSteps;
    else if (typeof value !== 'string') steps += place;
  }
  if (isJsonObject(value)) {
    const known = isJsonObject(properties) ? Object.keys(properties).length : 0;
    const held = Object.keys(value).length;
    for (const name of listOf(required)) if (!Object.hasOwn(value, name as string)) steps += issueSteps;
    if (held < known) steps += known - held;
    if (held > known && additionalProperties === false) steps += issueSteps;
  }
  return steps;
}

function isOfType(value: Json, type: Json): boolean {
  if (type === 'integer') return Number.isInteger(value);
  return type === typeNameOf(value);
}

function typeNameOf(value: Json): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value;
}

/** What is left of `budget` after the parts of a value; negative where it has more. */
function partsLeft(value: Json, budget: number): number {
  let left = budget - 1;
  if (typeof value !== 'object' || value === null) return left;
  for (const each of Array.isArray(value) ? (value as readonly Json[]) : Object.values<Json>(value)) {
    left = partsLeft(each, left);
    if (left < 0) break;
  }
  return left;
}

function isConstrained(part: Json): boolean {
  return isJsonObject(part) && Object.keys(part).some((keyword) => CONSTRAINTS.has(keyword));
}

function isBranching(schema: JsonObject): boolean {
  const known = branching.get(schema);
  if (known !== undefined) return known;
  const found = hasBranch(schema);
  branching.set(schema, found);
  return found;
}

function hasBranch(value: Json): boolean {
  if (Array.isArray(value)) return (value as readonly Json[]).some(hasBranch);
  if (!isJsonObject(value)) return false;
  return Object.entries<Json>(value).some(
    ([key, child]) => BRANCHING.has(key) || (LISTS.has(key) && isLong(child)) || hasBranch(child),
  );
}

function isLong(list: Json): boolean {
  return typeof list === 'object' && list !== null && Object.keys(list).length > MAX_SHORT_LIST;
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : [];
}
