const underWay = new Set<string>();

/** What `load` brings; until then the file counts as being loaded. */
export async function loadNoted<T>(file: string, load: () => Promise<T>): Promise<T> {
  underWay.add(file);
  try {
    return await load();
  } finally {
    underWay.delete(file);
  }
}

/** The modules that this process is loading now, the one that was begun first in front. */
export function modulesUnderWay(): readonly string[] {
  return [...underWay];
}
