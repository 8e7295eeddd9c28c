import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExportedRun, FlightEvent } from '../index.ts';
import { readVersion } from '../compose/read-version.ts';

/** The page of an exported run, as one HTML text; `isLeft` where no process runs it. */
export async function renderExported({ events, redacted }: ExportedRun, isLeft: boolean): Promise<string> {
  const [{ loadPageAssets }, { renderRunPage }] = await Promise.all([
    import('../web/page-assets.ts'),
    import('../web/render-run-page.ts'),
  ]);
  const content = { events: events as unknown as readonly FlightEvent[], redacted, program: readVersion() };
  return renderRunPage({ ...content, isLeft, live: null }, await loadPageAssets());
}

/** Writes the page of an exported run where only this person can read it, and answers its path. */
export async function writePageFile(exported: ExportedRun, isLeft: boolean): Promise<string> {
  const html = await renderExported(exported, isLeft);
  const folder = await mkdtemp(join(tmpdir(), 'orchestrate-'));
  const file = join(folder, `${exported.runId}.html`);
  await writeFile(file, html, { mode: 0o600 });
  return file;
}
