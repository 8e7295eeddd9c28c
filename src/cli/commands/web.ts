import { resolve } from 'node:path';
import type { FlightEvent, RunStore } from '../../index.ts';
import type { PageServer, PageSources } from '../../web/page-server.ts';
import type { ShownEvents } from '../../web/shown-events.ts';
import { type Command, SHARED_OPTIONS } from '../command.ts';
import { untilInterrupted } from '../interrupt.ts';
import { type Io, writeLine } from '../io.ts';
import { openBrowser } from '../open-browser.ts';
import { findPortHolder } from '../port-holder.ts';
import { usageError } from '../usage-error.ts';
import { readVersion } from '../../compose/read-version.ts';

const DEFAULT_PORT = '4747';

/** Serves a page with every run, and the page of each, until it is interrupted. */
export const webCommand: Command = {
  options: {
    port: {
      type: 'string',
      requiresArg: true,
      default: DEFAULT_PORT,
      describe: 'Port on this machine; 0 takes any that is free',
    },
    ...SHARED_OPTIONS.runsFolder,
  },
  examples: [['orchestrate web', 'Every run, with what waits for a person']],
  async run(args, io) {
    const port = readPort(args.text('port') ?? DEFAULT_PORT);
    const runsFolder = args.text('runs-folder');
    const [{ openRunStore }, { PageServer }] = await Promise.all([
      import('../../compose.ts'),
      import('../../web/page-server.ts'),
    ]);
    const folder = resolve(runsFolder ?? '.orchestrate/runs');
    const server = new PageServer(await sourcesOf(openRunStore(runsFolder), folder, io));
    await listen(server, port);
    const isOpen = await openBrowser(server.address, io);
    writeLine(io.stdout, `${isOpen ? 'runs' : 'runs, open it in a browser'}: ${server.address}`);
    writeLine(io.stdout, 'Ctrl-C ends it; runs go on.');
    await untilInterrupted();
    await server.close();
    return 0;
  },
};

async function listen(server: PageServer, port: number): Promise<void> {
  try {
    await server.listen(port);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== 'EADDRINUSE') throw usageError(`--port ${port}: ${message}`, 'Choose another port.');
    const holder = await findPortHolder(port);
    throw usageError(
      `--port ${port}: in use${holder === null ? '' : ` by ${holder}`}`,
      'End that process, choose another port, or let --port 0 take one that is free.',
    );
  }
}

async function sourcesOf(store: RunStore<FlightEvent>, folder: string, io: Io): Promise<PageSources> {
  const [{ FollowedFeed }, { RunList }, { loadPageKit }, { pagePolicy, renderPage }] = await Promise.all([
    import('../../web/run-feed.ts'),
    import('../../web/run-list.ts'),
    import('../page-sources.ts'),
    import('../../views/page/render-page.ts'),
  ]);
  const kit = await loadPageKit(store, io);
  const list = new RunList(store, kit.redact);
  const shown = async (runId: string): Promise<ShownEvents> =>
    kit.show(await FollowedFeed.open(store, runId));
  return {
    home: async (base) => {
      const data = {
        kind: 'list',
        program: readVersion(),
        folder,
        ...(await list.read()),
        live: { base },
      } as const;
      return {
        html: renderPage('Runs · orchestrate', data, kit.assets),
        policy: pagePolicy(kit.assets, true),
      };
    },
    list: async () => ({ ...(await list.read()) }) as never,
    page: async (runId, base) => kit.runPage(await shown(runId), base, `${base.split('/runs/')[0] ?? ''}/`),
    events: shown,
    answer: kit.answer,
  };
}

function readPort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 65_536;
  if (port > 65_535) throw usageError(`--port ${text}: expected a number up to 65535`);
  return port;
}
