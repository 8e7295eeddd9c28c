import { fileURLToPath } from 'node:url';
import * as zod from 'zod';
import * as sortie from '../../src/index.ts';
import * as testing from '../../src/testing.ts';
import { ModuleLoader } from '../../src/tools/load.ts';

/** A loader that gives user modules the sources under test. */
export function createLoader(): ModuleLoader {
  return new ModuleLoader({ virtualModules: { sortie, 'sortie/testing': testing, zod } });
}

/** Path of a file of test/fixtures/modules. */
export function modulePath(name: string): string {
  return fileURLToPath(new URL(`../fixtures/modules/${name}`, import.meta.url));
}
