import { isJsonObject, type Json, type JsonObject, setOwn } from '../../kernel/json.ts';
import { cleanText, isCleanText } from './clean-text.ts';

/** Values of these are for people and models; no value is held to them. */
const TEXTS: ReadonlySet<string> = new Set(['title', 'description', '$comment', 'examples', 'default']);

/** The schema with its texts cleaned of what a person would not see in them. */
export function cleanSchema(schema: JsonObject): JsonObject {
  return cleanIn(schema, false) as JsonObject;
}

/** A name or value in a schema that has something in it that a person would not see; null where none has. */
export function unseenIn(value: Json): string | null {
  if (typeof value === 'string') return isCleanText(value) ? null : value;
  if (typeof value !== 'object' || value === null) return null;
  const inside: readonly Json[] = Array.isArray(value)
    ? (value as readonly Json[])
    : Object.entries<Json>(value as JsonObject).flat();
  for (const each of inside) {
    const found = unseenIn(each);
    if (found !== null) return found;
  }
  return null;
}

function cleanIn(value: Json, isText: boolean): Json {
  if (typeof value === 'string') return isText ? cleanText(value) : value;
  if (Array.isArray(value)) return (value as readonly Json[]).map((each) => cleanIn(each, isText));
  if (!isJsonObject(value)) return value;
  const cleaned: Record<string, Json> = {};
  for (const [key, child] of Object.entries<Json>(value)) {
    // A property may be called like a keyword; what it holds is then a schema.
    const isKeyword =
      TEXTS.has(key) && (typeof child === 'string' || key === 'examples' || key === 'default');
    setOwn(cleaned, isText ? cleanText(key) : key, cleanIn(child, isText || isKeyword));
  }
  return cleaned;
}
