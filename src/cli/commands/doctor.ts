import { type Command, SHARED_OPTIONS } from '../command.ts';
import {
  checkCollector,
  checkNode,
  checkPackages,
  checkRunsFolder,
  checkTask,
  type Finding,
} from '../doctor-checks.ts';
import { DEFAULT_TASK, findDefaultTask } from '../default-task.ts';
import { writeLine } from '../io.ts';
import { checkMemory } from '../memory-doctor.ts';
import { checkProcessHold, checkSandbox } from '../sandbox-doctor.ts';
import { createStyle } from '../style.ts';

/** Checks what runs need here, a line each with what to do; exit code 1 where something fails. */
export const doctorCommand: Command = {
  positionals: {
    file: { type: 'string', describe: `A task file to load (default: ${DEFAULT_TASK} where it is there)` },
  },
  options: {
    otlp: { type: 'string', requiresArg: true, describe: 'An OTLP endpoint to reach' },
    ...SHARED_OPTIONS.json,
    ...SHARED_OPTIONS.runsFolder,
  },
  async run(args, io) {
    const file = args.text('file') ?? findDefaultTask();
    const endpoint =
      args.text('otlp') ??
      (io.env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'] || io.env['OTEL_EXPORTER_OTLP_ENDPOINT']);
    const findings: Finding[] = [
      checkNode(process.versions.node),
      await checkRunsFolder(args.text('runs-folder') ?? '.orchestrate/runs'),
      await checkTask(file, io.env),
      ...checkPackages(),
      await checkSandbox(io.env),
      await checkProcessHold(),
      ...(await checkMemory(file, args, io)),
      await checkCollector(endpoint || undefined),
    ];
    const exitCode = findings.some(({ level }) => level === 'fail') ? 1 : 0;
    if (args.isSet('json')) {
      writeLine(io.stdout, JSON.stringify(findings, null, 2));
      return exitCode;
    }
    const style = createStyle(io.stdout, io.env);
    const paint = { ok: style.green, warn: style.yellow, fail: style.red };
    for (const { level, what, advice } of findings) {
      writeLine(
        io.stdout,
        `${paint[level](level.padEnd(4))}  ${what}${advice === undefined ? '' : `\n      → ${advice}`}`,
      );
    }
    return exitCode;
  },
};
