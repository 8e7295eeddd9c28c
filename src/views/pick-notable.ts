/** At most so many of a list, those of the lowest rank first and each in its place; and those that are left out. */
export function pickNotable<T>(
  list: readonly T[],
  most: number,
  rankOf: (item: T) => number,
): { readonly picked: readonly T[]; readonly rest: readonly T[] } {
  if (list.length <= most) return { picked: list, rest: [] };
  const order = list.map((item, index) => ({ index, rank: rankOf(item) }));
  order.sort((a, b) => a.rank - b.rank || a.index - b.index);
  const chosen = new Set(order.slice(0, most).map(({ index }) => index));
  return {
    picked: list.filter((_, index) => chosen.has(index)),
    rest: list.filter((_, index) => !chosen.has(index)),
  };
}
