import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const fromRoot = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/**
 * One project per folder of test/. The last three spawn the built command, so they build it when it is stale; the files
 * of the others share the modules that they load, which is most of what they cost.
 */
const PROJECTS = [
  { name: 'unit', timeoutMs: 10_000, needsBuild: false },
  { name: 'property', timeoutMs: 60_000, needsBuild: false },
  { name: 'contract', timeoutMs: 20_000, needsBuild: false },
  { name: 'replay', timeoutMs: 60_000, needsBuild: false },
  { name: 'integration', timeoutMs: 60_000, needsBuild: true },
  { name: 'fault', timeoutMs: 120_000, needsBuild: true },
  { name: 'cli', timeoutMs: 60_000, needsBuild: true },
];

const reportFile = process.env['SORTIE_TEST_REPORT'];

export default defineConfig({
  resolve: {
    alias: [
      { find: /^sortie$/, replacement: fromRoot('src/index.ts') },
      { find: /^sortie\/testing$/, replacement: fromRoot('src/testing.ts') },
    ],
  },
  test: {
    passWithNoTests: true,
    // Tests that start programs wait for them about a third of their time.
    maxWorkers: 3,
    ...(reportFile ? { reporters: ['default', 'json'], outputFile: { json: reportFile } } : {}),
    projects: PROJECTS.map(({ name, timeoutMs, needsBuild }) => ({
      extends: true,
      test: {
        name,
        isolate: needsBuild,
        include: [`test/${name}/**/*.test.ts`],
        testTimeout: timeoutMs,
        hookTimeout: timeoutMs,
        globalSetup: [
          ...(needsBuild ? [fromRoot('scripts/build-if-stale.mjs')] : []),
          ...(name === 'integration' ? [fromRoot('scripts/build-jaeger.mjs')] : []),
        ],
      },
    })),
  },
});
