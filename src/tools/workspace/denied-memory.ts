/*
 * What was found denied stays denied for the rest of a run, by what the file system knows it by: a program can neither
 * move nor remove what is covered, but the folders around it, and a link of a denied name.
 */
import type { BigIntStats } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { DeniedNames } from '../../contracts/policy/denied-names.ts';

interface Known {
  /** Where it was found at first: whether tools may reach it there is said by the name. */
  readonly first: string;
  readonly at: string;
  /** When it was made: the number of what is gone is given to another file. */
  readonly birth: bigint;
}

/** Which files and folders were found denied, and where each was seen last, by real paths. */
export class DeniedMemory {
  readonly #known = new Map<string, Known>();
  /** Whether the system tells when files were made; where it does not, that is none or the time of their last change. */
  #tellsBirth = false;
  #begun = 0;
  #running = 0;

  get isEmpty(): boolean {
    return this.#known.size === 0;
  }

  /** How many programs have begun; null while one runs, which may be moving things. */
  get quietSince(): number | null {
    return this.#running === 0 ? this.#begun : null;
  }

  /** Notes that a program begins; what is returned is called once, when it has ended. */
  begin(): () => void {
    this.#begun++;
    this.#running++;
    return () => {
      this.#running--;
    };
  }

  async remember(paths: readonly string[]): Promise<void> {
    await Promise.all(
      paths.map(async (path) => {
        const [stats, around] = await Promise.all([statOf(path), statOf(dirname(path))]);
        if (around !== null) this.#learn(around);
        if (stats !== null) this.see(stats, path);
      }),
    );
  }

  /** Notes where something denied is now. */
  see(stats: BigIntStats, at: string): void {
    this.#learn(stats);
    this.#known.set(idOf(stats), {
      first: this.#knownAs(stats)?.first ?? at,
      at,
      birth: stats.birthtimeNs,
    });
  }

  /** Whether it is something that was found denied, wherever it is now. */
  isKnown(stats: BigIntStats): boolean {
    return this.#knownAs(stats) !== null;
  }

  forget(id: string): void {
    this.#known.delete(id);
  }

  /** Everything by its id, with where it was seen last. */
  places(): Map<string, string> {
    return new Map([...this.#known].map(([id, { at }]) => [id, at]));
  }

  /** What is no longer where it was seen last. */
  async missing(): Promise<Map<string, string>> {
    const all = await Promise.all(
      [...this.places()].map(async ([id, at]) => {
        const stats = await statOf(at);
        return { id, at, isThere: stats !== null && idOf(stats) === id && this.isKnown(stats) };
      }),
    );
    return new Map(all.flatMap(({ id, at, isThere }) => (isThere ? [] : [[id, at] as const])));
  }

  /** Whether something is denied that stands at another path than where it was found at first. */
  isMoved(stats: BigIntStats | null, path: string): boolean {
    const known = stats === null ? null : this.#knownAs(stats);
    return known !== null && known.first !== path;
  }

  #learn({ birthtimeNs, ctimeNs }: BigIntStats): void {
    if (birthtimeNs > 0n && birthtimeNs !== ctimeNs) this.#tellsBirth = true;
  }

  #knownAs(stats: BigIntStats): Known | null {
    const known = this.#known.get(idOf(stats));
    if (known === undefined) return null;
    const births = [known.birth, stats.birthtimeNs];
    const isOther = this.#tellsBirth && !births.includes(0n) && births[0] !== births[1];
    return isOther ? null : known;
  }
}

const memories = new WeakMap<DeniedNames, DeniedMemory>();

/** The memory of the run that denies these names; null where none are denied. */
export function memoryOf(denied: DeniedNames | undefined): DeniedMemory | null {
  if (denied === undefined) return null;
  const memory = memories.get(denied) ?? new DeniedMemory();
  memories.set(denied, memory);
  return memory;
}

/** What the file system knows something by, whatever it is called. */
export function idOf({ dev, ino }: BigIntStats): string {
  return `${dev}:${ino}`;
}

/** What is known of a path itself, links not followed; null where that cannot be told. */
export async function statOf(path: string): Promise<BigIntStats | null> {
  return lstat(path, { bigint: true }).catch(() => null);
}
