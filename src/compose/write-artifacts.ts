import { writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { OpenRun } from '../contracts/ports.ts';
import { reportText } from '../critic/report-text.ts';
import { makeFolder, realDisk } from '../flight/disk.ts';
import type { FlightEvent } from '../flight/events.ts';
import type { RunResult } from '../run/run-result.ts';
import type { Prepared } from './prepare.ts';

/** Writes `output.file`, and what a run leaves beside its log: a run that is over is not lost because that cannot be written. */
export async function writeArtifacts(
  run: OpenRun<FlightEvent>,
  prepared: Prepared,
  result: RunResult,
): Promise<RunResult> {
  const report = result.answer === null ? (result.partial ?? '') : reportText(result.answer);
  let told = await telling(result, '', () => run.writeArtifact('report.md', report));
  const { file } = prepared.task.output;
  if (file !== undefined && result.answer !== null) {
    const path = resolve(prepared.folder, file);
    told = await telling(told, `output.file ${path} could not be written: `, async () => {
      await makeFolder(realDisk, dirname(path));
      await writeFile(path, report);
    });
  }
  const text = `${JSON.stringify(told, null, 2)}\n`;
  return telling(told, '', () => run.writeArtifact('result.json', text));
}

/** The result, with a warning and no success where that cannot be written. */
async function telling(result: RunResult, what: string, write: () => Promise<void>): Promise<RunResult> {
  try {
    await write();
    return result;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return {
      ...result,
      exitCode: result.exitCode === 0 ? 1 : result.exitCode,
      warnings: [...(result.warnings ?? []), `${what}${reason}`],
    };
  }
}
