import { readFileSync } from 'node:fs';

/** The version of this package, from its package.json: one folder up from dist/, two from the sources, three while it is built. */
export function readVersion(): string {
  for (const path of ['../package.json', '../../package.json', '../../../package.json']) {
    const manifest = readManifest(new URL(path, import.meta.url));
    if (manifest?.name === 'sortie' && manifest.version !== undefined) return manifest.version;
  }
  return 'unknown';
}

function readManifest(url: URL): { readonly name?: string; readonly version?: string } | null {
  try {
    return JSON.parse(readFileSync(url, 'utf8')) as { name?: string; version?: string };
  } catch {
    return null;
  }
}
