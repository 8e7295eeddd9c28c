/*
 * A process of its own for the fault tests: opens the run named by its arguments (root, run id) and appends to it until
 * it is killed. Tells on stdout, a line each: `locked <pid>` where another holds the run, else `open`, then each
 * sequence that is durable. With a third argument `hold` it appends nothing.
 */
import { writeSync } from 'node:fs';
import { FileRunStore } from '../../src/flight/file-store.ts';
import { OrchestratorError } from '../../src/kernel/errors.ts';
import { noteAt } from './flight-notes.ts';

const [root = '', runId = '', task = ''] = process.argv.slice(2);

try {
  const run = await new FileRunStore(root).open(runId);
  writeSync(1, 'open\n');
  for (let seq = run.events.length; task !== 'hold';) {
    for (let count = 1 + (seq % 7); count > 0; count--, seq++) {
      run.log.append(noteAt(seq, seq % 11 === 0 ? `${seq} `.repeat(6_000) : `note ${seq}`));
    }
    await run.log.whenDurable(seq - 1);
    writeSync(1, `${run.log.durableSeq}\n`);
  }
  process.stdin.resume();
} catch (error) {
  if (!(error instanceof OrchestratorError) || error.code !== 'run_locked') throw error;
  writeSync(1, `locked ${JSON.stringify(error.details['pid'])}\n`);
}
