import { BestSlots } from './best-slots.ts';
import { type Code, DotProducts } from './dot-products.ts';

/** A row of a store and how well it matches. */
export interface RowScore {
  readonly row: number;
  readonly score: number;
}

/**
 * The codes of the vectors of one model. It finds by approximate cosine: whoever asks scores the candidates exactly.
 * Rows are added in ascending order.
 */
export class VectorIndex {
  readonly dimensions: number;
  #products: DotProducts;
  readonly #rows: number[] = [];
  /** Not a number where the row was removed, so that its score never counts. */
  readonly #scales: number[] = [];
  readonly #slots = new Map<number, number>();

  constructor(dimensions: number) {
    this.dimensions = dimensions;
    this.#products = new DotProducts(dimensions);
  }

  /** How many rows it holds. */
  get size(): number {
    return this.#slots.size;
  }

  /** Whether so much was removed that it should be built anew. */
  get isSparse(): boolean {
    return this.#rows.length > 1024 && this.#slots.size < this.#rows.length / 2;
  }

  add(row: number, { code, scale }: Code): void {
    this.#slots.set(row, this.#rows.length);
    this.#rows.push(row);
    this.#scales.push(scale);
    this.#products.add(code);
  }

  remove(row: number): void {
    const slot = this.#slots.get(row);
    if (slot === undefined) return;
    this.#slots.delete(row);
    this.#scales[slot] = Number.NaN;
  }

  /** The rows most like the query, best first by approximate cosine. */
  candidates(query: Float32Array, limit: number): RowScore[] {
    const best = new BestSlots(limit);
    const scales = this.#scales;
    this.#products.forEachBlock(query, (products, first, queryScale) => {
      for (let index = 0; index < products.length; index++) {
        const score = (products[index] ?? 0) * queryScale * (scales[first + index] ?? Number.NaN);
        if (score >= best.threshold) best.offer(first + index, score);
      }
    });
    return best.list().map(({ slot, score }) => ({ row: this.#rows[slot] ?? -1, score }));
  }
}

/** How many candidates are scored exactly so that the best `limit` are among them. */
export function candidateCount(limit: number): number {
  return limit + 16;
}
