/* Runs whose page is open in a browser while they go on. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, expect } from 'vitest';
import { startLivePage } from '../../src/cli/live-page.ts';
import { type FlightEvent, orchestrate, type RunOptions, type RunResult } from '../../src/index.ts';
import { recordIo } from '../unit/cli/support.ts';
import { openAddress, type OpenedPage } from './page-browser.ts';

/** A run under way with its page open. */
export interface LiveRun extends OpenedPage {
  readonly address: string;
  readonly events: readonly FlightEvent[];
  readonly ended: Promise<RunResult>;
}

/** A folder of this test file's own for runs, and how one begins: what it asks is answered on its page alone. */
export function liveRuns(browser: Browser | null): {
  readonly folder: string;
  readonly begin: (options: RunOptions) => Promise<LiveRun>;
} {
  const folder = mkdtempSync(join(tmpdir(), 'sortie-live-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  let runs = 0;
  const begin = async (options: RunOptions): Promise<LiveRun> => {
    const io = recordIo({ USER: 'mara', BROWSER: 'none' });
    const served = await startLivePage(folder, io);
    const events: FlightEvent[] = [];
    const ended = orchestrate({
      ...options,
      ...{ workspace: '/', runsFolder: folder, runId: `live-${++runs}` },
      approve: () => new Promise(() => undefined),
      onEvent: (event, state) => {
        events.push(event);
        served.onEvent(event, state);
      },
    }).finally(() => served.leave());
    ended.catch(() => undefined);
    await expect.poll(() => io.written.stderr, { timeout: 20_000 }).toContain('http:');
    const address = /http:\S+/.exec(io.written.stderr)?.[0] ?? '';
    return { ...(await openAddress(browser, address)), address, events, ended };
  };
  return { folder, begin };
}
