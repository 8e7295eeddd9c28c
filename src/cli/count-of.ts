/** An amount with its noun, in the plural where it must be: `1 node`, `3 nodes`, `2 memories`. */
export function countOf(amount: number, noun: string, plural = `${noun}s`): string {
  return `${amount} ${amount === 1 ? noun : plural}`;
}
