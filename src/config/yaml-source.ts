/*
 * Reads YAML text into plain JSON and remembers where each key and value stands. Owns what YAML leaves open: duplicate
 * keys, merge keys, aliases (repeated by reference, so a small file cannot grow), numbers that JSON cannot hold.
 */
import type { Alias, Pair, ParsedNode, Scalar, YAMLMap, YAMLSeq } from 'yaml';
import { isAlias, isMap, isScalar, isSeq } from 'yaml';
import type { Json } from '../kernel/json.ts';
import { setOwn } from '../kernel/json.ts';
import type { TaskFinding } from './problem.ts';
import type { OffsetProblem } from './yaml-syntax.ts';
import { MAX_NESTING, parseYamlSyntax } from './yaml-syntax.ts';

/** Where a value stands in the text, and where the values in it do; lists are keyed by index. */
export interface SourceNode {
  readonly offset: number;
  readonly entries: ReadonlyMap<string, SourceEntry>;
}

interface SourceEntry {
  readonly keyOffset: number;
  readonly node: SourceNode;
}

/** A YAML text as data, with positions; or what keeps it from being read at all. */
export type YamlSource =
  | {
      readonly ok: true;
      readonly value: Json;
      readonly root: SourceNode;
      readonly findings: LocatedFinding[];
    }
  | { readonly ok: false; readonly problems: readonly OffsetProblem[] };

/** A finding of the text itself, at an offset. */
export type LocatedFinding = TaskFinding & { readonly offset: number };

/** Values that aliases may repeat in one file. */
export const MAX_ALIASED_VALUES = 100_000;

/** Reads a text of one YAML 1.2 document. */
export function readYamlSource(text: string): YamlSource {
  const document = parseYamlSyntax(text);
  if (Array.isArray(document)) return { ok: false, problems: document };
  const reader = new YamlReader();
  try {
    const { value, node } = reader.read(document.contents, [], 0);
    return { ok: true, value, root: node, findings: reader.findings };
  } catch (error) {
    if (error instanceof AliasOverflow) return { ok: false, problems: [error.problem] };
    throw error;
  }
}

interface Reading {
  readonly value: Json;
  readonly node: SourceNode;
  /** Values in it, itself included and aliases written out. */
  readonly size: number;
  readonly depth: number;
}

class AliasOverflow extends Error {
  readonly problem: OffsetProblem;
  constructor(problem: OffsetProblem) {
    super(problem.message);
    this.problem = problem;
  }
}

const NO_ENTRIES: ReadonlyMap<string, SourceEntry> = new Map();

class YamlReader {
  readonly findings: LocatedFinding[] = [];
  readonly #anchors = new Map<string, Reading>();
  #aliasedValues = 0;
  #topEntryOffset = 0;

  read(content: unknown, path: readonly (string | number)[], fallbackOffset: number): Reading {
    if (path.length === 1) this.#topEntryOffset = fallbackOffset;
    const yaml = content as ParsedNode | null;
    if (yaml === null) return leaf(null, fallbackOffset);
    if (isAlias(yaml)) return this.#readAlias(yaml, path);
    const reading = isMap(yaml)
      ? this.#readMap(yaml, path)
      : isSeq(yaml)
        ? this.#readList(yaml, path)
        : this.#readScalar(yaml, path);
    if (yaml.anchor !== undefined) this.#anchors.set(yaml.anchor, reading);
    return reading;
  }

  #readScalar(scalar: Scalar.Parsed, path: readonly (string | number)[]): Reading {
    const offset = offsetOf(scalar);
    const { value } = scalar;
    if (typeof value !== 'number') return leaf(value as string | boolean | null, offset);
    const source = scalar.source;
    if (!Number.isFinite(value)) {
      return this.#refuse(path, offset, `${source} is not a finite number`, 'leave the key out for no limit');
    }
    if (!keepsDigits(value, source)) {
      return this.#refuse(
        path,
        offset,
        `${source} has more digits than a number keeps`,
        'in quotes it is text',
      );
    }
    return leaf(value, offset);
  }

  #refuse(path: readonly (string | number)[], offset: number, message: string, hint?: string): Reading {
    this.findings.push({ path, at: 'value', offset, message, ...(hint === undefined ? {} : { hint }) });
    return leaf(null, offset);
  }

  #readAlias(alias: Alias.Parsed, path: readonly (string | number)[]): Reading {
    const offset = offsetOf(alias);
    const target = this.#anchors.get(alias.source);
    if (target === undefined) {
      return this.#refuse(path, offset, `no anchor &${alias.source} ends before this alias`);
    }
    this.#aliasedValues += target.size;
    if (this.#aliasedValues > MAX_ALIASED_VALUES || path.length + target.depth > MAX_NESTING) {
      throw new AliasOverflow({
        offset: this.#topEntryOffset,
        message: `the aliases up to here repeat too much: over ${MAX_ALIASED_VALUES} values or ${MAX_NESTING} levels`,
        hint: 'write out what is needed',
      });
    }
    return { ...target, node: { offset, entries: target.node.entries } };
  }

  #readList(list: YAMLSeq.Parsed, path: readonly (string | number)[]): Reading {
    const offset = offsetOf(list);
    const value: Json[] = [];
    const entries = new Map<string, SourceEntry>();
    let [size, depth] = [1, 0];
    for (const [index, item] of list.items.entries()) {
      const reading = this.read(item, [...path, index], item.range[0]);
      value.push(reading.value);
      entries.set(String(index), { keyOffset: reading.node.offset, node: reading.node });
      size += reading.size;
      depth = Math.max(depth, reading.depth);
    }
    return { value, node: { offset, entries }, size, depth: depth + 1 };
  }

  #readMap(map: YAMLMap.Parsed, path: readonly (string | number)[]): Reading {
    const own = new Map<string, SourceEntry & { readonly value: Json }>();
    const merged: Reading[] = [];
    let [size, depth] = [1, 0];
    for (const pair of map.items) {
      const key = keyOf(pair);
      const keyOffset = offsetOf(pair.key);
      const keyPath = [...path, key];
      if (isMergeKey(pair)) {
        const sources = this.#readMerge(pair, keyPath);
        merged.push(...sources);
        for (const source of sources) [size, depth] = [size + source.size, Math.max(depth, source.depth - 1)];
        continue;
      }
      const reading = this.read(pair.value, keyPath, keyOffset);
      if (isScalar(pair.key) && pair.key.anchor !== undefined) {
        this.#anchors.set(pair.key.anchor, leaf(key, keyOffset));
      }
      if (key === '__proto__') {
        this.findings.push({
          path: keyPath,
          at: 'key',
          offset: keyOffset,
          message: 'this name cannot be used',
        });
      } else if (own.has(key)) {
        this.findings.push({
          path: keyPath,
          at: 'key',
          offset: keyOffset,
          message: 'this key is there already',
        });
      } else {
        own.set(key, { keyOffset, node: reading.node, value: reading.value });
      }
      size += reading.size;
      depth = Math.max(depth, reading.depth);
    }
    return { ...withMerged(own, merged, offsetOf(map)), size, depth: depth + 1 };
  }

  /** The maps that a merge key names. */
  #readMerge(pair: Pair<ParsedNode, ParsedNode | null>, path: readonly (string | number)[]): Reading[] {
    const reading = this.read(pair.value, path, offsetOf(pair.key));
    const sources = Array.isArray(reading.value)
      ? reading.value.map((value, index) => ({
          ...reading,
          value: value as Json,
          node: reading.node.entries.get(String(index))?.node ?? reading.node,
        }))
      : [reading];
    return sources.filter((source) => {
      const isMapValue =
        typeof source.value === 'object' && source.value !== null && !Array.isArray(source.value);
      const isRefused = this.findings.some((finding) => finding.offset === source.node.offset);
      if (!isMapValue && !isRefused) this.#refuse(path, source.node.offset, 'a merge key (<<) takes maps');
      return isMapValue;
    });
  }
}

/** A map's own entries, and behind them those of the maps merged into it, the first of which wins. */
function withMerged(
  own: ReadonlyMap<string, SourceEntry & { readonly value: Json }>,
  merged: readonly Reading[],
  offset: number,
): { value: Json; node: SourceNode } {
  const value: Record<string, Json> = {};
  const entries = new Map<string, SourceEntry>();
  for (const [key, entry] of own) {
    setOwn(value, key, entry.value);
    entries.set(key, { keyOffset: entry.keyOffset, node: entry.node });
  }
  for (const source of merged) {
    for (const [key, item] of Object.entries(source.value as Record<string, Json>)) {
      const entry = source.node.entries.get(key);
      if (entry === undefined || entries.has(key)) continue;
      setOwn(value, key, item);
      entries.set(key, entry);
    }
  }
  return { value, node: { offset, entries } };
}

/** Whether a whole number written in digits is still the same once it is a number. */
function keepsDigits(value: number, source: string): boolean {
  if (Number.isSafeInteger(value) || !/^[-+]?\d+$/.test(source)) return true;
  return String(value) === source || BigInt(source.replace('+', '')) === BigInt(value);
}

function leaf(value: Json, offset: number): Reading {
  return { value, node: { offset, entries: NO_ENTRIES }, size: 1, depth: 0 };
}

function offsetOf(yaml: { range?: readonly [number, number, number] | null }): number {
  return yaml.range?.[0] ?? 0;
}

function isMergeKey(pair: Pair<ParsedNode, ParsedNode | null>): boolean {
  return isScalar(pair.key) && pair.key.value === '<<' && pair.key.type === 'PLAIN';
}

function keyOf(pair: Pair<ParsedNode, ParsedNode | null>): string {
  return isScalar(pair.key) ? String(pair.key.value) : '';
}
