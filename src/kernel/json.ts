import { OrchestratorError } from './errors.ts';

/** Any value that JSON can carry without loss. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** A JSON object. */
export type JsonObject = { readonly [key: string]: Json };

const MAX_DEPTH = 512;

/** True for a JSON object, false for arrays, null and everything else. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * A frozen copy of `value` as plain JSON; throws `not_json_value`, with the JSON pointer of the culprit, for
 * anything that JSON cannot carry: undefined, NaN, a BigInt, a function, a cycle. Undefined properties are left out.
 */
export function toPlainJson(value: unknown): Json {
  return copy(value, [], []);
}

function copy(value: unknown, path: (string | number)[], ancestors: object[]): Json {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      // JSON has no negative zero.
      if (Number.isFinite(value)) return value === 0 ? 0 : value;
      throw reject(path, `${value} is not a JSON number`);
    case 'object':
      return value === null ? null : copyObject(value, path, ancestors);
    case 'undefined':
      throw reject(path, 'undefined');
    case 'bigint':
    case 'symbol':
    case 'function':
      throw reject(path, `a ${typeof value}`);
  }
}

function copyObject(value: object, path: (string | number)[], ancestors: object[]): Json {
  if (ancestors.includes(value)) throw reject(path, 'a cycle');
  if (ancestors.length >= MAX_DEPTH) throw reject(path, `nested deeper than ${MAX_DEPTH} levels`);
  const convertible = value as { toJSON?: () => unknown };
  if (typeof convertible.toJSON === 'function') {
    ancestors.push(value);
    const converted = copy(convertible.toJSON(), path, ancestors);
    ancestors.pop();
    return converted;
  }
  ancestors.push(value);
  const result = Array.isArray(value)
    ? copyArray(value, path, ancestors)
    : copyRecord(value, path, ancestors);
  ancestors.pop();
  return result;
}

function copyArray(value: readonly unknown[], path: (string | number)[], ancestors: object[]): Json {
  const result: Json[] = [];
  for (let index = 0; index < value.length; index++) {
    path.push(index);
    result.push(copy(value[index], path, ancestors));
    path.pop();
  }
  return Object.freeze(result);
}

function copyRecord(value: object, path: (string | number)[], ancestors: object[]): Json {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) {
    const name = (prototype as { constructor?: { name?: string } }).constructor?.name;
    if (name !== 'Object') throw reject(path, `an instance of ${name ?? 'a class'}`);
  }
  const result: Record<string, Json> = {};
  for (const key of Object.keys(value)) {
    const item = (value as Record<string, unknown>)[key];
    if (item === undefined) continue;
    path.push(key);
    setOwn(result, key, copy(item, path, ancestors));
    path.pop();
  }
  return Object.freeze(result);
}

/** Sets an own property, `__proto__` included, without touching the prototype. */
export function setOwn<T>(target: Record<string, T>, key: string, value: T): void {
  if (key === '__proto__') {
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  } else {
    target[key] = value;
  }
}

function reject(path: readonly (string | number)[], what: string): OrchestratorError {
  const pointer = toPointer(path);
  return new OrchestratorError('not_json_value', `not plain JSON at ${pointer || '(root)'}: ${what}`, {
    details: { pointer },
  });
}

/** The JSON pointer (RFC 6901) of a path. */
export function toPointer(path: readonly (string | number)[]): string {
  return path.map((step) => '/' + String(step).replaceAll('~', '~0').replaceAll('/', '~1')).join('');
}

/** The steps of a JSON pointer (RFC 6901); null where it is not one. */
export function parsePointer(pointer: string): string[] | null {
  if (pointer === '') return [];
  if (!pointer.startsWith('/') || /~(?![01])/.test(pointer)) return null;
  return pointer
    .slice(1)
    .split('/')
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** The value at a JSON pointer; undefined where nothing is there. Own properties only. */
export function atPointer(value: Json, pointer: string): Json | undefined {
  const steps = parsePointer(pointer);
  if (steps === null) return undefined;
  let current: Json = value;
  for (const step of steps) {
    if (typeof current !== 'object' || current === null) return undefined;
    if (Array.isArray(current) && !/^(0|[1-9]\d*)$/.test(step)) return undefined;
    if (!Object.hasOwn(current, step)) return undefined;
    current = (current as JsonObject)[step] as Json;
  }
  return current;
}
