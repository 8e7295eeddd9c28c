import { isJsonObject, type Json, type JsonObject } from '../kernel/json.ts';

/** Applied to the same value as the schema that they stand in, so that work may double with each. */
const COMBINATORS = ['allOf', 'anyOf', 'oneOf'] as const;
const BRANCHING: ReadonlySet<string> = new Set([...COMBINATORS, '$ref', 'patternProperties']);

const branching = new WeakMap<object, boolean>();

/**
 * Whether more than `limit` pairs of a schema and a value have to be looked at to validate the value. Counted before any
 * of it is validated: with references and alternatives, a small schema can make a small value endless work.
 */
export function takesMoreSteps(schema: JsonObject, value: Json, limit: number): boolean {
  if (!isBranching(schema)) return false;
  let left = limit - 1;
  const parts: JsonObject[] = [schema];
  const values: Json[] = [value];
  const targets = new Map<string, Json | undefined>();
  const follow = (ref: string): Json | undefined => {
    if (!targets.has(ref)) targets.set(ref, resolveRef(schema, ref));
    return targets.get(ref);
  };
  const add = (part: Json | undefined, at: Json): void => {
    if (part === undefined) return;
    left--;
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
        add(first[index] ?? others, at[index] as Json);
        add(part['contains'], at[index] as Json);
      }
    } else if (isJsonObject(at) && (typeof type !== 'string' || type === 'object')) {
      const named = isJsonObject(properties) ? properties : {};
      const patterned = isJsonObject(patternProperties) ? Object.values<Json>(patternProperties) : [];
      for (const key of Object.keys(at)) {
        if (left < 0) break;
        const inside = at[key] as Json;
        add(Object.hasOwn(named, key) ? named[key] : part['additionalProperties'], inside);
        add(part['propertyNames'], key);
        for (const each of patterned) add(each, inside);
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
  return Object.entries<Json>(value).some(([key, child]) => BRANCHING.has(key) || hasBranch(child));
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : [];
}
