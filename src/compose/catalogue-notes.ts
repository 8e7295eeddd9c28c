import type { EventOf } from '../flight/events.ts';
import { hashJson } from '../kernel/hash.ts';
import type { Json } from '../kernel/json.ts';
import type { PublishedCatalogue } from '../tools/catalogue.ts';

/** The catalogue as it goes into the log. */
export type PublishedTools = Omit<EventOf<'catalogue.published'>, 'seq' | 'at' | 'type'>;

/** What is published, with what is said of tools that cannot be called or are not what they were; empty lists say nothing. */
export function withNotes(
  published: PublishedCatalogue,
  notes: Pick<PublishedTools, 'quarantined' | 'unavailable' | 'changed'>,
): PublishedTools {
  const told = Object.fromEntries(Object.entries(notes).filter(([, list]) => (list?.length ?? 0) > 0));
  if (Object.keys(told).length === 0) return published;
  const { tools, withheld } = published;
  return { ...published, ...told, hash: hashJson({ tools, withheld, ...told } as unknown as Json) };
}

/** What is published, with names of further tools that policy withholds. */
export function withWithheld(published: PublishedCatalogue, names: readonly string[]): PublishedCatalogue {
  if (names.length === 0) return published;
  const { tools } = published;
  const withheld = [...new Set([...published.withheld, ...names])].sort();
  return { tools, withheld, hash: hashJson({ tools, withheld } as unknown as Json) };
}
