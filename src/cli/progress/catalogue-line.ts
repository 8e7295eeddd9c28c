import type { FlightEvent } from '../../index.ts';
import { firstOf } from '../../kernel/first-of.ts';

/** What is notable of a catalogue in one text: servers that are not there, tools that cannot be called; null where nothing is. */
export function describeCatalogue({
  unavailable = [],
  quarantined = [],
  changed = [],
}: Extract<FlightEvent, { type: 'catalogue.published' }>): string | null {
  const notes = [
    ...unavailable.map(({ server, reason }) => `no list of ${server}: ${reason}`),
    ...firstOf(quarantined.map(({ tool, reason }) => `${tool} quarantined: ${reason}`)),
    ...changed.map(({ tool, parts }) => `${tool} changed since it was pinned: ${parts.join(', ')}`),
  ];
  return notes.length === 0 ? null : notes.join('; ');
}
