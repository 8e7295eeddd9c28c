import { isJsonObject, type Json, type JsonObject } from '../../kernel/json.ts';
import { quoteText } from './clean-text.ts';

/** By which a property of a schema says that its value is sent as a header too. */
const MARK = 'x-mcp-header';
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const TYPES: ReadonlySet<unknown> = new Set(['string', 'integer', 'boolean']);

/**
 * What is wrong with the headers that the parameters of a tool are to be sent in, since a client over HTTP must not use
 * such a tool (protocol of 2026-07-28); null where nothing is. Only a text, an integer or a boolean that is always at the
 * same place can be a header, and each has a name of its own.
 */
export function headerFault(schema: JsonObject): string | null {
  return faultIn(schema, { isRoot: true, isPlain: true, names: new Set() });
}

interface Place {
  readonly isRoot: boolean;
  /** Whether only `properties` lead here. */
  readonly isPlain: boolean;
  readonly names: Set<string>;
}

function faultIn(schema: JsonObject, { isRoot, isPlain, names }: Place): string | null {
  const fault = Object.hasOwn(schema, MARK) ? markFault(schema, isPlain && !isRoot, names) : null;
  if (fault !== null) return fault;
  for (const [keyword, value] of Object.entries<Json>(schema)) {
    const isNamed = keyword === 'properties';
    for (const child of schemasIn(keyword, value)) {
      const found = faultIn(child, { isRoot: false, isPlain: isPlain && isNamed, names });
      if (found !== null) return found;
    }
  }
  return null;
}

function markFault(
  { [MARK]: name, type }: JsonObject,
  isReachable: boolean,
  names: Set<string>,
): string | null {
  if (typeof name !== 'string' || !TOKEN.test(name))
    return `names a header that is none: ${quoteText(JSON.stringify(name))}`;
  if (!isReachable) return `names the header ${name} for what is no parameter of its own`;
  if (!TYPES.has(type)) return `names the header ${name} for what is no text, integer or boolean`;
  if (names.has(name.toLowerCase())) return `names the header ${name} twice`;
  names.add(name.toLowerCase());
  return null;
}

/** Values of these are no schemas: what stands there is data, whatever it looks like. */
const DATA: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples', 'required', 'type']);
/** Values of these are schemas by name. */
const BY_NAME: ReadonlySet<string> = new Set([
  ...['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions'],
]);

function schemasIn(keyword: string, value: Json): JsonObject[] {
  if (DATA.has(keyword)) return [];
  if (Array.isArray(value)) return (value as readonly Json[]).filter(isJsonObject);
  if (!isJsonObject(value)) return [];
  return BY_NAME.has(keyword) ? Object.values<Json>(value).filter(isJsonObject) : [value];
}
