import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

/** Makes a folder with its parents; throws where one that is there takes no other (/proc), which `recursive` tries for ever. */
export function makeFolderSync(folder: string): void {
  const above = dirname(folder);
  if (above !== folder && !existsSync(above)) makeFolderSync(above);
  try {
    mkdirSync(folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
    // It is there, and this fails where it is no folder.
    mkdirSync(folder, { recursive: true });
  }
}
