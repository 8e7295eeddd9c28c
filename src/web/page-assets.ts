import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { PageAssets } from '../views/page/render-page.ts';

/** The script and the style of the page, as they were built. */
export async function loadPageAssets(): Promise<PageAssets> {
  const [script, style] = await Promise.all(
    ['page.js', 'page.css'].map((name) => readFile(new URL(name, pageFolder()), 'utf8')),
  );
  return describeAssets(script ?? '', style ?? '');
}

/** A script and a style with what a content security policy names them by. */
export function describeAssets(script: string, style: string): PageAssets {
  return { script, scriptHash: hashOf(script), style, styleHash: hashOf(style) };
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}

/** They lie in `page/` of `dist/`: beside the bundle of the command, one folder up from the library's own. */
function pageFolder(): URL {
  const here = import.meta.url;
  if (here.endsWith('.ts')) return new URL('../../dist/page/', here);
  return new URL(here.endsWith('.cjs') ? './page/' : '../page/', here);
}
