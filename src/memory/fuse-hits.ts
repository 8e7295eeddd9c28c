import type { MemoryHit } from '../contracts/memory.ts';

/**
 * What sharing words adds to the likeness of meaning. In the benchmark's retrieval set any weight from 0.2 to 0.5 finds
 * more than vectors alone, names and figures above all; ranks fused without their scores find less.
 */
const WORD_WEIGHT = 0.3;

/** Vectors less alike than this are of unrelated texts: so are nearly all such pairs of the reference sentences. */
const LEAST_COSINE = 0.2;

/** Fewer shared words are articles and prepositions. */
const LEAST_JACCARD = 0.1;

/** What was found for one text, by its vector of a model and by its words; `depth` is how many each search was asked for. */
interface Rankings {
  readonly model: string;
  readonly depth: number;
  readonly byVector: readonly MemoryHit[];
  readonly byWords: readonly MemoryHit[];
}

/** The hits of both searches as one ranking, best first, with scores from 0 to 1; what is unlike in both ways is not in it. */
export function fuseHits({ model, depth, byVector, byWords }: Rankings): MemoryHit[] {
  const cosines = new Map(byVector.map(({ record, score }) => [record.id, score]));
  const shares = new Map(byWords.map(({ record, score }) => [record.id, score]));
  const otherCosine = boundOfRest(byVector, depth);
  const otherShare = boundOfRest(byWords, depth);
  const hits = new Map([...byWords, ...byVector].map((hit) => [hit.record.id, hit]));
  return [...hits.values()]
    .flatMap((hit) => {
      const share = shares.get(hit.record.id) ?? otherShare;
      // Without a vector of this model the words stand in for the meaning, and few shared ones are all there is to go by.
      const isOfModel = hit.model === model;
      const cosine = cosines.get(hit.record.id) ?? (isOfModel ? otherCosine : share);
      if (isOfModel && cosine < LEAST_COSINE && share < LEAST_JACCARD) return [];
      return [{ ...hit, score: Math.max(0, (cosine + WORD_WEIGHT * share) / (1 + WORD_WEIGHT)) }];
    })
    .toSorted((a, b) => b.score - a.score);
}

/** What a full ranking does not hold scores no more than its last; what another does not hold, nothing. */
function boundOfRest(hits: readonly MemoryHit[], depth: number): number {
  return hits.length < depth ? 0 : Math.max(0, hits.at(-1)?.score ?? 0);
}

/** The hits of a search by vector without those that are about something else. */
export function keepAlike(byVector: readonly MemoryHit[]): MemoryHit[] {
  return byVector.filter(({ score }) => score >= LEAST_COSINE);
}
