/** An amount with its noun, in the plural where it must be: `1 node`, `3 nodes`. */
export function countOf(amount: number, noun: string): string {
  return `${amount} ${noun}${amount === 1 ? '' : 's'}`;
}
