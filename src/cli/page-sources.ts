import type { FlightEvent, Json, RunStore } from '../index.ts';
import type { PageAssets } from '../views/page/render-page.ts';
import type { ServedPage } from '../web/page-server.ts';
import type { RunFeed } from '../web/run-feed.ts';
import type { Redact, ShownEvents } from '../web/shown-events.ts';
import type { Io } from './io.ts';
import { personOf } from './person.ts';
import { readVersion } from '../compose/read-version.ts';

/** What the pages of a store are made with. */
export interface PageKit {
  readonly assets: PageAssets;
  /** Takes out what looks like a credential. */
  readonly redact: Redact;
  /** The events of a feed as pages are shown them. */
  readonly show: (feed: RunFeed) => ShownEvents;
  /** What became of an answer that a page sent. */
  readonly answer: (runId: string, given: Json) => Promise<Json>;
  /** The page of a run as it is now, served at a path. */
  readonly runPage: (shown: ShownEvents, base: string, list: string | null) => Promise<ServedPage>;
}

/** Loads what pages of the runs of a store are made with. */
export async function loadPageKit(store: RunStore<FlightEvent>, io: Io): Promise<PageKit> {
  const [
    { answerFromPage, redactSecrets },
    { loadPageAssets },
    { renderRunPage },
    { ShownEvents },
    { pagePolicy },
  ] = await Promise.all([
    import('../compose.ts'),
    import('../web/page-assets.ts'),
    import('../web/render-run-page.ts'),
    import('../web/shown-events.ts'),
    import('../views/page/render-page.ts'),
  ]);
  const assets = await loadPageAssets();
  const program = readVersion();
  return {
    assets,
    redact: redactSecrets,
    show: (feed) => new ShownEvents(feed, redactSecrets),
    answer: async (runId, given) => ({ ...(await answerFromPage(store, runId, given, personOf(io))) }),
    runPage: async (shown, base, list) => {
      const content = {
        events: await shown.all(),
        redacted: shown.redacted,
        program,
        isLeft: shown.feed.isLeft,
        live: { base, list },
      };
      return { html: renderRunPage(content, assets), policy: pagePolicy(assets, true) };
    },
  };
}
