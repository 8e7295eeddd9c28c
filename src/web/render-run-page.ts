import type { FlightEvent } from '../flight/events.ts';
import { fitEvents } from '../views/page/fit-events.ts';
import type { LiveAddress } from '../views/page/page-data.ts';
import { type PageAssets, renderPage } from '../views/page/render-page.ts';

/** A run as it goes into a page: what looks like a credential has been taken out of it. */
export interface PageContent {
  readonly events: readonly FlightEvent[];
  /** Texts in which something was redacted. */
  readonly redacted: number;
  /** Version of this program. */
  readonly program: string;
  /** No process runs it. */
  readonly isLeft: boolean;
  readonly live: LiveAddress | null;
}

/** The page of a run: everything that is known of it in one HTML file, which loads nothing else. */
export function renderRunPage(content: PageContent, assets: PageAssets): string {
  const { events, ...rest } = content;
  const [first] = events;
  const name = first?.type === 'run.started' ? first.task.name : 'run';
  const data = { ...fitEvents(events), ...rest, kind: 'run', madeAtMs: Date.now() } as const;
  return renderPage(`${name} · orchestrate`, data, assets);
}
