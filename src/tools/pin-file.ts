import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import { OrchestratorError } from '../kernel/errors.ts';
import { changedParts, type ToolPin } from './tool-pin.ts';

const pinSchema = z.strictObject({
  hash: z.string(),
  description: z.string(),
  input: z.string(),
  output: z.string(),
  effect: z.string(),
});

const fileSchema = z.strictObject({
  version: z.literal(1),
  origins: z.record(z.string(), z.record(z.string(), pinSchema)),
});

/** The pins of tools by name, as they stand at one place where tools come from. */
export type OriginPins = Readonly<Record<string, ToolPin>>;

/** What became of the tools of one origin since they were pinned. */
export interface PinChanges {
  readonly changed: readonly { readonly tool: string; readonly parts: readonly string[] }[];
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

/** What tools were when they were first seen, or last accepted, kept in a file beside the runs. */
export class PinFile {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  /** What is pinned, by origin. Throws `usage` where the file is none of its kind. */
  async readAll(): Promise<ReadonlyMap<string, OriginPins>> {
    return new Map(Object.entries((await this.#load()).origins));
  }

  /** What is pinned of an origin; null where nothing is. Throws `usage` where the file is none of its kind. */
  async read(origin: string): Promise<OriginPins | null> {
    const { origins } = await this.#load();
    return Object.hasOwn(origins, origin) ? (origins[origin] ?? null) : null;
  }

  /** Pins the tools of origins, whole; what else the file holds stays. */
  async write(pins: ReadonlyMap<string, OriginPins>): Promise<void> {
    const { origins } = await this.#load();
    const content = { version: 1, origins: { ...origins, ...Object.fromEntries(pins) } };
    await mkdir(dirname(this.#path), { recursive: true });
    const draft = `${this.#path}.${randomUUID()}.tmp`;
    await writeFile(draft, `${JSON.stringify(content, null, 2)}\n`);
    await rename(draft, this.#path);
  }

  async #load(): Promise<z.output<typeof fileSchema>> {
    let text: string;
    try {
      text = await readFile(this.#path, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { version: 1, origins: {} };
      throw error;
    }
    try {
      return fileSchema.parse(JSON.parse(text));
    } catch (error) {
      throw new OrchestratorError('usage', `${this.#path} holds no pins of tools`, {
        hint: 'Move it away; `orchestrate tools FILE --check --pin` writes it anew.',
        cause: error,
      });
    }
  }
}

/** How the tools of an origin differ from what is pinned of it. */
export function comparePins(pinned: OriginPins, now: OriginPins): PinChanges {
  const before = new Map(Object.entries(pinned));
  const after = new Map(Object.entries(now));
  const changed = [...after].flatMap(([tool, pin]) => {
    const old = before.get(tool);
    return old === undefined || old.hash === pin.hash ? [] : [{ tool, parts: changedParts(old, pin) }];
  });
  return {
    changed,
    added: [...after.keys()].filter((tool) => !before.has(tool)),
    removed: [...before.keys()].filter((tool) => !after.has(tool)),
  };
}
