import type { JsonSchema } from '../contracts/schema.ts';
import type { Json } from '../kernel/json.ts';
import { assembleValue, type FormField, formFields, readField } from '../views/page/answer-form.ts';
import { element } from './element.ts';

type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

let forms = 0;

/** A form for a value that meets a schema, filled from a value where there is one. */
export class SchemaForm {
  readonly root: HTMLElement;
  readonly #base: Json | undefined;
  readonly #fields: readonly {
    readonly field: FormField;
    readonly control: Control;
    readonly problem: HTMLElement;
  }[];

  constructor(label: string, schema: JsonSchema, value: Json | undefined) {
    this.#base = value;
    const id = `form${++forms}`;
    this.#fields = formFields(schema, value).map((field, index) => ({
      field,
      control: createControl(field, `${id}-${index}`),
      problem: element('p', { class: 'problem', id: `${id}-${index}-problem`, role: 'alert', hidden: true }),
    }));
    this.root = element(
      'fieldset',
      { class: 'schema-form' },
      element('legend', {}, label),
      ...this.#fields.map(({ field, control, problem }) =>
        element(
          'div',
          { class: 'field' },
          element('label', { for: control.id }, field.label, field.isRequired ? '' : ' (may be left out)'),
          field.description === '' ? null : element('p', { class: 'note' }, field.description),
          control,
          problem,
        ),
      ),
    );
  }

  /** What was written; null where a field cannot be read, which the field then says. */
  read(): { readonly value: Json | undefined } | null {
    const values: { path: readonly string[]; value: Json | undefined }[] = [];
    let first: Control | null = null;
    for (const { field, control, problem } of this.#fields) {
      const reading = readField(field, control.value);
      problem.hidden = reading.ok;
      problem.textContent = reading.ok ? '' : `${field.label} ${reading.message}`;
      control.setAttribute('aria-invalid', String(!reading.ok));
      if (reading.ok) values.push({ path: field.path, value: reading.value });
      else first ??= control;
    }
    first?.focus();
    return first === null ? { value: assembleValue(this.#base, values) } : null;
  }
}

function createControl(field: FormField, id: string): Control {
  const { kind, initial, choices, isRequired } = field;
  const common = { id, 'aria-describedby': `${id}-problem`, 'aria-required': String(isRequired) };
  if (kind === 'boolean' || kind === 'choice') {
    const values = kind === 'boolean' ? [true, false] : choices;
    const options = values.map((value) => JSON.stringify(value));
    const empty = isRequired && initial !== '' ? [] : [element('option', { value: '' }, '')];
    return element(
      'select',
      common,
      ...empty,
      ...options.map((option, index) =>
        element('option', { value: option, selected: option === initial }, wordOf(values[index] ?? null)),
      ),
    );
  }
  if (kind === 'number' || kind === 'integer') {
    return withValue(element('input', { ...common, inputmode: 'decimal', autocomplete: 'off' }), initial);
  }
  const isShort = kind === 'text' && initial.length < 60 && !initial.includes('\n');
  if (isShort) return withValue(element('input', { ...common, autocomplete: 'off' }), initial);
  const rows = Math.min(16, Math.max(3, initial.split('\n').length));
  const made = element('textarea', {
    ...common,
    rows,
    spellcheck: 'false',
    class: kind === 'json' ? 'code' : undefined,
  });
  return withValue(made, initial);
}

function withValue<T extends HTMLInputElement | HTMLTextAreaElement>(control: T, value: string): T {
  control.value = value;
  return control;
}

function wordOf(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
