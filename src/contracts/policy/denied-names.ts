import { matchesNames } from '../../kernel/match-glob.ts';
import { deniedParts, foldName, isUnclear } from './permitted-path.ts';

/** Where names from the workspace on have come in the patterns of `paths.deny`. */
export interface DeniedNames {
  /** Whether what stands there is denied. */
  readonly isDenied: boolean;
  /** Whether something below may be, though it is not itself. */
  readonly mayHoldDenied: boolean;
  /** Whether what is denied there is said by wildcards, so that all of it has to be looked at. */
  readonly isWide: boolean;
  /** The same for two places exactly where the same is denied below both. */
  readonly key: string;
  enter(name: string): DeniedNames;
}

/** The workspace itself, from which `enter` tells of each place in it as `isPermittedPath` would. */
export function deniedNames(deny: readonly string[]): DeniedNames {
  const patterns = deny.flatMap(deniedParts);
  return new Names(
    patterns,
    patterns.map((pattern) => skipAny(pattern, [0])),
    true,
  );
}

class Names implements DeniedNames {
  readonly #patterns: readonly (readonly string[])[];
  /** Of each pattern, how many of its parts may have been passed. */
  readonly #passed: readonly (readonly number[])[];
  readonly #isTop: boolean;
  readonly isDenied: boolean;

  constructor(
    patterns: readonly (readonly string[])[],
    passed: readonly (readonly number[])[],
    isTop: boolean,
    isDenied = false,
  ) {
    this.#patterns = patterns;
    this.#passed = passed;
    this.#isTop = isTop;
    this.isDenied = isDenied;
  }

  get mayHoldDenied(): boolean {
    return this.#passed.some((places) => places.length > 0);
  }

  get isWide(): boolean {
    return this.#next().some((part) => /[*?]/.test(part));
  }

  get key(): string {
    return this.#passed.map((places) => places.join(',')).join(' ');
  }

  enter(name: string): Names {
    if (isUnclear(name, this.#isTop)) return new Names(this.#patterns, [], false, true);
    let passed = this.#passed;
    // Some letters are, folded, a text with a slash.
    for (const part of foldName(name).split('/'))
      passed = this.#patterns.map((pattern, index) => pass(pattern, passed[index] ?? [], part));
    const isDenied = this.#patterns.some((pattern, index) => passed[index]?.includes(pattern.length));
    return new Names(this.#patterns, passed, false, isDenied);
  }

  #next(): string[] {
    return this.#patterns.flatMap((pattern, index) =>
      (this.#passed[index] ?? []).flatMap((at) => pattern[at] ?? []),
    );
  }
}

function pass(pattern: readonly string[], passed: readonly number[], name: string): readonly number[] {
  const reached = passed.flatMap((at) => {
    const part = pattern[at];
    if (part === undefined) return [];
    if (part === '**') return [at];
    return matchesNames([part], [name]) ? [at + 1] : [];
  });
  return skipAny(pattern, reached);
}

/** With the places behind each `**`, which may stand for no folder. */
function skipAny(pattern: readonly string[], passed: readonly number[]): readonly number[] {
  const all = new Set<number>();
  for (let at of passed) {
    all.add(at);
    while (pattern[at] === '**') all.add(++at);
  }
  return [...all].sort((a, b) => a - b);
}
