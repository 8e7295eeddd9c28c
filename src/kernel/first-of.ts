const SHOWN = 10;

/** The first ten texts, and how many there are besides. */
export function firstOf(texts: readonly string[]): readonly string[] {
  const more = texts.length - SHOWN;
  return more > 0 ? [...texts.slice(0, SHOWN), `and ${more} more like these`] : texts;
}
