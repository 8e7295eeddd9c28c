import { canonicalJson } from '../kernel/canonical-json.ts';
import type { Json, JsonObject } from '../kernel/json.ts';

/** The `$defs` of a schema: equal parts of it are written once. */
export class Definitions {
  readonly #names = new Map<string, string>();
  readonly #schemas: Record<string, Json> = {};

  /** The reference that stands for this part. */
  add(schema: JsonObject): JsonObject {
    const text = canonicalJson(schema);
    let name = this.#names.get(text);
    if (name === undefined) {
      name = `d${this.#names.size + 1}`;
      this.#names.set(text, name);
      this.#schemas[name] = schema;
    }
    return { $ref: `#/$defs/${name}` };
  }

  /** Every part, by name. */
  all(): JsonObject {
    return this.#schemas;
  }
}
