import { isJsonObject, type Json, type JsonObject, setOwn } from '../kernel/json.ts';

/** What the validator cannot express: a schema says less without it, never something else. */
const INEXPRESSIBLE: ReadonlySet<string> = new Set([
  ...['if', 'then', 'else', 'not', 'dependentSchemas', 'dependentRequired'],
  ...['unevaluatedItems', 'unevaluatedProperties'],
]);

/** Values of these are data, whatever they look like. */
const DATA: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples', 'required', 'type']);
/** Values of these are schemas by names that may look like keywords. */
const BY_NAME: ReadonlySet<string> = new Set(['properties', 'patternProperties', '$defs', 'definitions']);

/**
 * The schema without what the validator cannot express: it accepts whatever the whole accepts, and more. The same schema
 * where nothing of that is in it.
 */
export function loosenSchema(schema: JsonObject): JsonObject {
  return hasInexpressible(schema) ? looser(schema) : schema;
}

function hasInexpressible(value: Json): boolean {
  return (
    isJsonObject(value) &&
    Object.entries<Json>(value).some(
      ([keyword, child]) =>
        isInexpressible(keyword, child) || schemasIn(keyword, child).some(hasInexpressible),
    )
  );
}

function looser(schema: JsonObject): JsonObject {
  const kept: Record<string, Json> = {};
  for (const [keyword, value] of Object.entries<Json>(schema)) {
    if (isInexpressible(keyword, value)) continue;
    // Of schemas that say less, more than one may hold.
    setOwn(kept, keyword === 'oneOf' ? 'anyOf' : keyword, looserIn(keyword, value));
  }
  return kept;
}

/** `not: {}` is how a schema says that nothing holds. */
function isInexpressible(keyword: string, value: Json): boolean {
  const isNever = keyword === 'not' && isJsonObject(value) && Object.keys(value).length === 0;
  return INEXPRESSIBLE.has(keyword) && !isNever;
}

function looserIn(keyword: string, value: Json): Json {
  if (DATA.has(keyword)) return value;
  if (Array.isArray(value))
    return (value as readonly Json[]).map((each) => (isJsonObject(each) ? looser(each) : each));
  if (!isJsonObject(value)) return value;
  if (!BY_NAME.has(keyword)) return looser(value);
  const entries = Object.entries<Json>(value);
  return Object.fromEntries(entries.map(([name, each]) => [name, isJsonObject(each) ? looser(each) : each]));
}

function schemasIn(keyword: string, value: Json): readonly Json[] {
  if (DATA.has(keyword)) return [];
  if (Array.isArray(value)) return value as readonly Json[];
  if (!isJsonObject(value)) return [];
  return BY_NAME.has(keyword) ? Object.values<Json>(value) : [value];
}
