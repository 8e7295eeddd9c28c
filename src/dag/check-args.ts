import { compileSchema, type JsonSchema } from '../contracts/schema.ts';
import type { ToolSpec } from '../contracts/tool.ts';
import { type Json, type JsonObject, setOwn, toPointer } from '../kernel/json.ts';
import { reportIssues } from './args-issues.ts';
import { type CheckContext, checkReference, hintFor } from './check-references.ts';
import type { DraftNode } from './plan-shape.ts';
import { lookUp } from './plan-target.ts';
import { isForm, readForm, type ReferenceForm } from './reference-form.ts';
import { sampleValue } from './sample-value.ts';
import { findMisfit } from './schema-fit.ts';
import { type SchemaStep, stepInto } from './schema-step.ts';

type Path = readonly (string | number)[];

const TEXT: JsonSchema = Object.freeze({ type: 'string' });

/**
 * Checks the arguments of nodes: their references, and everything else against the tool's schema. Values not known
 * yet are compared by their schemas, then stand in as samples, so that the rest is validated as strictly as a call.
 */
export class ArgsCheck {
  readonly #context: CheckContext;
  #draft: DraftNode;
  #item: SchemaStep | null = null;
  #mentions = new Set<string>();
  #path: (string | number)[] = [];
  #unknown: Path[] = [];

  constructor(context: CheckContext, draft: DraftNode) {
    this.#context = context;
    this.#draft = draft;
  }

  /** Checks one node; `item` is the schema of its items under `foreach`, else null. Adds ids to `mentions`. */
  check(draft: DraftNode, tool: ToolSpec | null, item: SchemaStep | null, mentions: Set<string>): void {
    if (draft.args === null) return;
    this.#draft = draft;
    this.#item = item;
    this.#mentions = mentions;
    this.#path = [];
    this.#unknown = [];
    const filled = this.#fill(draft.args, tool?.input ?? 'unknown', false);
    if (tool === null) return;
    const parsed = compileSchema(tool.input).safeParse(filled);
    if (!parsed.success) {
      reportIssues(this.#context, draft, tool.input, filled, parsed.error.issues, this.#unknown);
    }
  }

  /** The value with samples in place of what is not known yet. */
  #fill(value: Json, wanted: SchemaStep, isLiteral: boolean): Json {
    if (typeof value === 'number' && !Number.isFinite(value)) {
      this.#complain('invalid_args', '', 'not a valid number: it is beyond the range of JSON');
      return this.#standIn(value, wanted);
    }
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return this.#fillList(value as readonly Json[], wanted, isLiteral);
    const record = value as JsonObject;
    return !isLiteral && isForm(record)
      ? this.#fillForm(record, wanted)
      : this.#fillRecord(record, wanted, isLiteral);
  }

  #fillList(list: readonly Json[], wanted: SchemaStep, isLiteral: boolean): Json {
    let copy: Json[] | null = null;
    for (let index = 0; index < list.length; index++) {
      const before = list[index] as Json;
      const after = isPlain(before) ? before : this.#fillChild(before, index, wanted, isLiteral);
      if (after !== before) copy ??= list.slice(0, index);
      copy?.push(after);
    }
    return copy ?? list;
  }

  #fillRecord(record: JsonObject, wanted: SchemaStep, isLiteral: boolean): Json {
    let copy: Record<string, Json> | null = null;
    for (const key of Object.keys(record)) {
      const before = record[key] as Json;
      if (isPlain(before)) continue;
      const after = this.#fillChild(before, key, wanted, isLiteral);
      if (after !== before) setOwn((copy ??= { ...record }), key, after);
    }
    return copy ?? record;
  }

  #fillChild(value: Json, step: string | number, wanted: SchemaStep, isLiteral: boolean): Json {
    this.#path.push(step);
    const filled = this.#fill(value, wantedAt(wanted, step), isLiteral);
    this.#path.pop();
    return filled;
  }

  #fillForm(record: JsonObject, wanted: SchemaStep): Json {
    const form = readForm(record);
    switch (form.kind) {
      case 'literal':
        return this.#fill(form.value, wanted, true);
      case 'malformed':
        this.#reportMalformed(record, form);
        return this.#standIn(record, wanted);
      case 'text':
        form.parts.forEach((part, index) => {
          if (typeof part === 'object') this.#checkPart(part as JsonObject, index);
        });
        this.#compare(TEXT, wanted, 'a text');
        return this.#standIn(record, wanted);
      case 'item':
        return this.#fillItem(record, form.path, wanted);
      case 'ref':
        return this.#fillReference(record, form, wanted);
    }
  }

  #checkPart(part: JsonObject, index: number): void {
    this.#path.push('$text', index);
    this.#fillForm(part, 'unknown');
    this.#path.pop();
    this.#path.pop();
  }

  #fillItem(record: JsonObject, path: string, wanted: SchemaStep): Json {
    if (this.#item === null) {
      this.#complain(
        'invalid_foreach',
        '',
        '"$item" stands in a node without "foreach"',
        'Give the node a "foreach".',
      );
    } else if (typeof this.#item === 'object') {
      const lookup = lookUp({ schema: this.#item, value: undefined }, path);
      if (lookup.found) this.#compare(lookup.schema, wanted, 'the item');
      else {
        const hint = hintFor(path, lookup.known, this.#context.suggestions);
        this.#complain('bad_reference', '', `an item has nothing at "${path}"`, hint);
      }
    }
    return this.#standIn(record, wanted);
  }

  #fillReference(record: JsonObject, form: { id: string; path: string }, wanted: SchemaStep): Json {
    this.#mentions.add(form.id);
    const lookup = checkReference(this.#context, this.#draft, this.#pointer(), form);
    if (lookup?.value !== undefined) return lookup.value;
    if (lookup !== null) {
      this.#compare(lookup.schema, wanted, `the result of "${form.id}"${form.path && ` at ${form.path}`}`);
    }
    return this.#standIn(record, wanted);
  }

  #reportMalformed(record: JsonObject, form: Extract<ReferenceForm, { kind: 'malformed' }>): void {
    const id = record['$ref'];
    if (typeof id === 'string') this.#mentions.add(id);
    this.#complain('bad_reference', toPointer([form.key]), form.what, form.hint);
  }

  #compare(given: Exclude<SchemaStep, 'missing'>, wanted: SchemaStep, what: string): void {
    if (typeof given !== 'object' || typeof wanted !== 'object') return;
    const misfit = findMisfit(given, wanted);
    if (misfit === null) return;
    this.#complain('invalid_args', '', `${what} does not fit: ${misfit}`);
  }

  /** Marks this place as not known yet; some value that fits takes it, or the form itself where none is at hand. */
  #standIn(value: Json, wanted: SchemaStep): Json {
    this.#unknown.push([...this.#path]);
    return (typeof wanted === 'object' ? sampleValue(wanted) : undefined) ?? value;
  }

  #pointer(): string {
    return '/args' + toPointer(this.#path);
  }

  #complain(
    code: 'invalid_args' | 'bad_reference' | 'invalid_foreach',
    at: string,
    message: string,
    hint?: string,
  ): void {
    const { problems } = this.#context;
    problems.addAt(code, this.#draft.index, this.#draft.id, this.#pointer() + at, message, hint);
  }
}

function isPlain(value: Json): boolean {
  return (
    (typeof value !== 'object' || value === null) && (typeof value !== 'number' || Number.isFinite(value))
  );
}

function wantedAt(wanted: SchemaStep, step: string | number): SchemaStep {
  if (typeof wanted !== 'object') return 'unknown';
  if (typeof step === 'number' && wanted['prefixItems'] === undefined) {
    const { items } = wanted;
    return typeof items === 'object' && items !== null && !Array.isArray(items)
      ? (items as JsonSchema)
      : 'unknown';
  }
  return stepInto(wanted, String(step));
}
