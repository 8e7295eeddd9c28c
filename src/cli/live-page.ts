import type { FlightEvent, RunState } from '../index.ts';
import { untilInterrupted } from './interrupt.ts';
import { type Io, writeLine } from './io.ts';
import type { ServedPage } from '../web/page-server.ts';
import type { PushedFeed } from '../web/run-feed.ts';
import { openBrowser } from './open-browser.ts';

/** The page of the run that this process drives. */
export interface LivePage {
  onEvent(event: FlightEvent, state: RunState): void;
  /** The run has ended here: with a person at the terminal the page stays until Ctrl-C. */
  leave(): Promise<void>;
  /** Serves no longer. */
  close(): Promise<void>;
}

/** Serves the page of a run that is about to begin; says where, and opens it, once it has begun. */
export async function startLivePage(runsFolder: string | undefined, io: Io): Promise<LivePage> {
  const [{ openRunStore }, { PageServer }, feeds, { loadPageKit }] = await Promise.all([
    import('../compose.ts'),
    import('../web/page-server.ts'),
    import('../web/run-feed.ts'),
    import('./page-sources.ts'),
  ]);
  const store = openRunStore(runsFolder);
  const kit = await loadPageKit(store, io);
  let begin: (runId: string) => void = () => undefined;
  const begun = new Promise<string>((resolve) => (begin = resolve));
  let feed: PushedFeed | null = null;
  const pending: FlightEvent[] = [];
  // Of a run that is taken up, what came before stands in its log.
  const whole = begun.then(async (runId) => {
    const first = pending[0]?.seq ?? 0;
    const before = first > 0 ? (await store.read(runId)).slice(0, first) : [];
    feed = new feeds.PushedFeed([...before, ...pending]);
    return kit.show(feed);
  });
  whole.catch(() => undefined);
  const announce = async (): Promise<void> => {
    const isOpen = await openBrowser(server.address, io);
    writeLine(io.stderr, `${isOpen ? 'page' : 'page, open it in a browser'}: ${server.address}`);
  };
  const page = async (base: string): Promise<ServedPage> => kit.runPage(await whole, base, null);
  const server = new PageServer({
    home: page,
    list: null,
    page: (_, base) => page(base),
    events: () => whole,
    answer: async (_, given) => kit.answer(await begun, given),
  });
  await server.listen(0);
  return {
    onEvent: (event, state) => {
      if (feed !== null) feed.push(event);
      else {
        pending.push(event);
        if (pending.length > 1) return;
        begin(state.runId);
        void announce();
      }
    },
    leave: async () => {
      feed?.end();
      if (io.stdin.isTTY === true && io.stderr.isTTY === true) {
        writeLine(io.stderr, 'The page stays until Ctrl-C.');
        await untilInterrupted();
      }
      await server.close();
    },
    close: () => server.close(),
  };
}
