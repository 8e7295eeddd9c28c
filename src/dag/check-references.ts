import type { JsonSchema } from '../contracts/schema.ts';
import type { Json } from '../kernel/json.ts';
import type { DraftNode } from './plan-shape.ts';
import { type Lookup, lookUp, type Target } from './plan-target.ts';
import type { ProblemList } from './problem-list.ts';
import { isForm, readForm } from './reference-form.ts';
import { type SchemaStep, typesOf } from './schema-step.ts';
import type { Suggestions } from './suggest.ts';

/** What the checks of one plan share. */
export interface CheckContext {
  readonly problems: ProblemList;
  readonly suggestions: Suggestions;
  readonly targets: ReadonlyMap<string, Target>;
  /** Names of the tools that a plan may use. */
  readonly usableTools: ReadonlySet<string>;
  readonly foreachItems: number;
}

/** Where a reference leads; null where it leads nowhere, which is then a problem at `pointer` within the node. */
export function checkReference(
  { problems, suggestions, targets }: CheckContext,
  draft: DraftNode,
  pointer: string,
  { id, path }: { readonly id: string; readonly path: string },
): Extract<Lookup, { found: true }> | null {
  const target = targets.get(id);
  if (target === undefined) {
    const item = /^(.+)\[(\d+)\]$/s.exec(id);
    const hint =
      item?.[1] !== undefined && targets.has(item[1])
        ? `Write {"$ref": ${JSON.stringify(item[1])}, "path": "/${item[2] ?? ''}"}.`
        : suggestions.suggest(id, targets);
    problems.addAt('bad_reference', draft.index, draft.id, pointer, `no node has the id "${id}"`, hint);
    return null;
  }
  const lookup = lookUp(target, path);
  if (lookup.found) return lookup;
  problems.addAt(
    'bad_reference',
    draft.index,
    draft.id,
    pointer,
    `the result of "${id}" has nothing at "${path}"`,
    hintFor(path, lookup.known, suggestions),
  );
  return null;
}

/** What a pointer should have been. */
export function hintFor(
  path: string,
  known: readonly string[],
  suggestions: Suggestions,
): string | undefined {
  const likely = known.find((pointer) => pointer.endsWith(path));
  if (likely !== undefined) return `Did you mean "${likely}"?`;
  const listed = known.length > 0 ? `It has ${known.slice(0, 10).join(', ')}.` : undefined;
  return suggestions.suggest(path, new Set(known)) ?? listed;
}

/**
 * The schema of the items that a node runs over; null where it has no `foreach`. Ids that it refers to are added to
 * `mentions`.
 */
export function checkForeach(
  context: CheckContext,
  draft: DraftNode,
  mentions: Set<string>,
): SchemaStep | null {
  const { foreach } = draft;
  if (foreach === undefined) return null;
  const { problems, foreachItems } = context;
  const complain = (message: string, hint?: string): void => {
    problems.addAt('invalid_foreach', draft.index, draft.id, '/foreach', message, hint);
  };
  const form = isReferenceLike(foreach) ? readForm(foreach) : null;
  if (form?.kind !== 'ref') {
    const message = form?.kind === 'malformed' ? form.what : '"foreach" must be a reference to a list';
    complain(
      message,
      'Write {"$ref": "id", "path": "/list"}; for items that are known now write one node each.',
    );
    return 'unknown';
  }
  mentions.add(form.id);
  const lookup = checkReference(context, draft, '/foreach', form);
  if (lookup === null) return 'unknown';
  const { schema, value } = lookup;
  const types = schema === 'unknown' ? null : typesOf(schema);
  const isList =
    value === undefined ? (types?.includes('array') ?? true) : value === null || Array.isArray(value);
  if (!isList) {
    complain(
      `"foreach" runs over a list, but this is ${value === undefined ? (types ?? []).join(' or ') : `a ${typeof value}`}`,
    );
  } else if (Array.isArray(value) && value.length > foreachItems) {
    complain(`the list has ${value.length} items, and ${foreachItems} are allowed`);
  }
  return itemsOf(schema);
}

function isReferenceLike(value: Json): value is { readonly [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && isForm(value as never);
}

function itemsOf(schema: JsonSchema | 'unknown'): SchemaStep {
  if (typeof schema !== 'object' || schema['prefixItems'] !== undefined) return 'unknown';
  const { items } = schema;
  return typeof items === 'object' && items !== null && !Array.isArray(items)
    ? (items as JsonSchema)
    : 'unknown';
}
