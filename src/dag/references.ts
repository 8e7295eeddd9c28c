/*
 * What references in arguments come to at run time. Only forms that stand in the plan count: what a result holds is
 * data and is never looked into. See reference-form.ts for the grammar; a plan was validated before it gets here.
 */
import type { Failure } from '../contracts/failure.ts';
import { canonicalJson } from '../kernel/canonical-json.ts';
import { sha256 } from '../kernel/hash.ts';
import { atPointer, type Json, type JsonObject, parsePointer, setOwn } from '../kernel/json.ts';
import { isForm } from './reference-form.ts';

/** The result of a node, or null for an optional one that ended without. */
export type ResultLookup = (id: string) => Json;

/** Arguments with every reference replaced, or the MISSING_INFO failure that names the pointer which led nowhere. */
export type ResolvedArgs =
  { readonly ok: true; readonly args: Json } | { readonly ok: false; readonly failure: Failure };

/**
 * The arguments of a call. A pointer into a null result, or into a null item of a list of results, gives null.
 * Parts without references are handed on as they are, not copied.
 */
export function resolveArgs(args: Json, lookup: ResultLookup, item?: Json): ResolvedArgs {
  const resolver = new Resolver(lookup, item);
  const resolved = resolver.resolve(args);
  return resolver.failure === null ? { ok: true, args: resolved } : { ok: false, failure: resolver.failure };
}

/** Whether arguments hold a form anywhere: without one they are what is called with, and their hash is their digest. */
export function hasReferences(value: Json): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some(hasReferences);
  return isForm(value as JsonObject) || Object.values(value as JsonObject).some(hasReferences);
}

class Resolver {
  failure: Failure | null = null;
  readonly #lookup: ResultLookup;
  readonly #item: Json | undefined;

  constructor(lookup: ResultLookup, item: Json | undefined) {
    this.#lookup = lookup;
    this.#item = item;
  }

  resolve(value: Json): Json {
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return this.#resolveList(value as readonly Json[]);
    const record = value as JsonObject;
    return isForm(record) ? this.#resolveForm(record) : this.#resolveRecord(record);
  }

  #resolveList(list: readonly Json[]): Json {
    let copy: Json[] | null = null;
    for (let index = 0; index < list.length; index++) {
      const before = list[index] as Json;
      const after = this.resolve(before);
      if (copy === null && after !== before) copy = list.slice(0, index);
      copy?.push(after);
    }
    return copy ?? list;
  }

  #resolveRecord(record: JsonObject): Json {
    let copy: Record<string, Json> | null = null;
    for (const key of Object.keys(record)) {
      const before = record[key] as Json;
      const after = this.resolve(before);
      if (after === before) continue;
      copy ??= { ...record };
      setOwn(copy, key, after);
    }
    return copy ?? record;
  }

  #resolveForm(form: JsonObject): Json {
    if (Object.hasOwn(form, '$literal')) return form['$literal'] as Json;
    if (Object.hasOwn(form, '$text')) {
      return (form['$text'] as readonly Json[]).map((part) => textOf(this.resolve(part))).join('');
    }
    if (Object.hasOwn(form, '$item')) {
      return this.#follow(this.#item ?? null, form['$item'] as string, 'the item');
    }
    const id = form['$ref'] as string;
    return this.#follow(
      this.#lookup(id),
      (form['path'] as string | undefined) ?? '',
      `the result of "${id}"`,
    );
  }

  #follow(value: Json, pointer: string, owner: string): Json {
    if (pointer === '' || value === null) return value;
    const found = atPointer(value, pointer);
    if (found !== undefined) return found;
    if (!leadsThroughNullItem(value, pointer)) {
      this.failure ??= {
        code: 'missing_info',
        class: 'MISSING_INFO',
        message: `${owner} has nothing at ${pointer}`,
        details: { pointer },
      };
    }
    return null;
  }
}

function leadsThroughNullItem(value: Json, pointer: string): boolean {
  if (!Array.isArray(value)) return false;
  const [first, ...rest] = parsePointer(pointer) ?? [];
  return first !== undefined && rest.length > 0 && atPointer(value as Json, `/${first}`) === null;
}

function textOf(value: Json): string {
  if (typeof value === 'string') return value;
  return value === null ? '' : canonicalJson(value);
}

/**
 * SHA-256 of the arguments of a call without building them: the canonical JSON, in which a reference counts by the
 * digest of the result (or item) and its path. Without references it is the hash of the arguments themselves.
 */
export function argsDigest(args: Json, digestOf: (id: string) => string, itemDigest?: string): string {
  return sha256(describe(args, digestOf, itemDigest));
}

/** Canonical JSON, but for references: `&` begins no JSON value, so that no argument can pass for one. */
function describe(value: Json, digestOf: (id: string) => string, itemDigest: string | undefined): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) {
    let text = '[';
    for (let index = 0; index < value.length; index++) {
      if (index > 0) text += ',';
      text += describe(value[index] as Json, digestOf, itemDigest);
    }
    return text + ']';
  }
  const record = value as JsonObject;
  if (isForm(record)) {
    if (Object.hasOwn(record, '$literal')) return canonicalJson(record);
    if (Object.hasOwn(record, '$item')) return `&${itemDigest ?? ''}${JSON.stringify(record['$item'])}`;
    if (Object.hasOwn(record, '$ref')) {
      return `&${digestOf(record['$ref'] as string)}${JSON.stringify(record['path'] ?? '')}`;
    }
  }
  const keys = Object.keys(record);
  if (keys.length > 1) keys.sort();
  let text = '{';
  for (let index = 0; index < keys.length; index++) {
    const key = keys[index] as string;
    if (index > 0) text += ',';
    text += JSON.stringify(key) + ':' + describe(record[key] as Json, digestOf, itemDigest);
  }
  return text + '}';
}
