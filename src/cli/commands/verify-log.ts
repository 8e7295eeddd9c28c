import type { LogVerification } from '../../index.ts';
import { toOneLine } from '../../views/text-width.ts';
import { type Command, SHARED_OPTIONS } from '../command.ts';
import { writeLine } from '../io.ts';
import { createStyle } from '../style.ts';

const LONGEST_LINE = 400;

/** Verifies the log of a run: checksums, sequence, stored values, invariants; prints the first bad line. */
export const verifyLogCommand: Command = {
  positionals: { run: { type: 'string', describe: 'Id of a run, a unique prefix, last, or a flight.jsonl' } },
  options: { ...SHARED_OPTIONS.json, ...SHARED_OPTIONS.runsFolder },
  async run(args, io) {
    const runsFolder = args.text('runs-folder');
    const { verifyLog } = await import('../../compose.ts');
    const found = await verifyLog(args.text('run') ?? '', runsFolder === undefined ? {} : { runsFolder });
    if (args.isSet('json')) writeLine(io.stdout, JSON.stringify(found, null, 2));
    else writeLine(io.stdout, describe(found, createStyle(io.stdout, io.env)));
    return found.fault === null ? 0 : 1;
  },
};

function describe({ file, events, fault }: LogVerification, style: ReturnType<typeof createStyle>): string {
  if (fault === null) {
    const what = `${events} events of ${file}: chain, sequence, stored values and invariants hold`;
    return `${style.green('sound')}: ${what}`;
  }
  const { seq, offset, problem, line } = fault;
  const where = offset === null ? '' : ` at byte ${offset}`;
  const said = `${style.red('bad')}: event ${seq}${where} of ${file}: ${problem}`;
  return line === null || line === '' ? said : `${said}\n  ${toOneLine(line.slice(0, LONGEST_LINE))}`;
}
