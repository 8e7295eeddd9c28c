import { didYouMean } from '../kernel/did-you-mean.ts';

/** Comparisons of words that one validation spends, so that a plan full of slips is still answered at once. */
const MAX_COMPARISONS = 20_000;

/** Names to choose from: a set, or a map by name. */
export interface Names {
  readonly size: number;
  keys(): Iterable<string>;
}

/** Finds what was probably meant, for as long as its allowance lasts. */
export class Suggestions {
  #left = MAX_COMPARISONS;

  /** `Did you mean "…"?`, or undefined. */
  suggest(word: string, candidates: Names): string | undefined {
    // A word of one character is near to every other.
    if (word.length < 2 || candidates.size > this.#left) return undefined;
    this.#left -= candidates.size;
    const meant = didYouMean(word, candidates.keys());
    return meant === null ? undefined : `Did you mean "${meant}"?`;
  }
}
