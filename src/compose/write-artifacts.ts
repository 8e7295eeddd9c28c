import { writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { OpenRun } from '../contracts/ports.ts';
import { reportText } from '../critic/report-text.ts';
import { makeFolder, realDisk } from '../flight/disk.ts';
import type { FlightEvent } from '../flight/events.ts';
import type { RunResult } from '../run/run-result.ts';
import type { Prepared } from './prepare.ts';

/** Writes what a run leaves beside its log, and `output.file`: a run that is over is not lost because that cannot be written. */
export async function writeArtifacts(
  run: OpenRun<FlightEvent>,
  prepared: Prepared,
  result: RunResult,
): Promise<RunResult> {
  const report = result.answer === null ? (result.partial ?? '') : reportText(result.answer);
  await run.writeArtifact('report.md', report);
  await run.writeArtifact('result.json', `${JSON.stringify(result, null, 2)}\n`);
  const { file } = prepared.task.output;
  if (file === undefined || result.answer === null) return result;
  const path = resolve(prepared.folder, file);
  try {
    await makeFolder(realDisk, dirname(path));
    await writeFile(path, report);
    return result;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const exitCode = result.exitCode === 0 ? 1 : result.exitCode;
    return {
      ...result,
      exitCode,
      warnings: [...(result.warnings ?? []), `output.file ${path} could not be written: ${reason}`],
    };
  }
}
