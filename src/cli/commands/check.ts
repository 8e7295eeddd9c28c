import { OrchestratorError } from '../../kernel/errors.ts';
import { isJsonObject, type Json } from '../../kernel/json.ts';
import { type Command, SHARED_OPTIONS } from '../command.ts';
import { countOf } from '../count-of.ts';
import { type Io, writeLine } from '../io.ts';
import { shellWord } from '../shell-word.ts';
import { createStyle } from '../style.ts';

/** Loads a task with its tools, provider and policy, calls none of them, and names every problem. */
export const checkCommand: Command = {
  positionals: { file: { type: 'string', describe: 'The task file' } },
  options: { ...SHARED_OPTIONS.input, ...SHARED_OPTIONS.json },
  takesTaskFields: true,
  examples: [['orchestrate check task.yaml', 'Every problem as file:line:column path: problem']],
  async run(args, io) {
    const file = args.text('file') ?? '';
    const isJson = args.isSet('json');
    const { prepare } = await import('../../compose.ts');
    try {
      const { task, catalogue } = await prepare({ task: file, flags: args.taskFlags, env: io.env });
      const tools = catalogue.tools.map(({ name }) => name);
      const report = {
        ok: true,
        name: task.name,
        tools,
        withheld: catalogue.withheld,
        ...(task.mcp === undefined ? {} : { servers: Object.keys(task.mcp) }),
      };
      if (isJson) writeLine(io.stdout, JSON.stringify(report, null, 2));
      else reportSound(file, report, io);
      return 0;
    } catch (error) {
      if (!(error instanceof OrchestratorError) || error.code === 'internal') throw error;
      const problems = problemsOf(error);
      if (isJson) writeLine(io.stdout, JSON.stringify({ ok: false, problems }, null, 2));
      else reportProblems(error, problems.length, io);
      return error.exitCode;
    }
  },
};

interface SoundReport {
  readonly name: string;
  readonly tools: readonly string[];
  readonly withheld: readonly string[];
  /** Names of the MCP servers, which are not asked for their tools. */
  readonly servers?: readonly string[];
}

function reportSound(file: string, { name, tools, withheld, servers = [] }: SoundReport, io: Io): void {
  const style = createStyle(io.stdout, io.env);
  writeLine(
    io.stdout,
    `${style.green('ok')} ${file}: task ${name}, ${countOf(tools.length, 'tool')}${tools.length === 0 ? '' : ` (${tools.join(', ')})`}`,
  );
  if (withheld.length > 0) writeLine(io.stdout, `withheld by policy: ${withheld.join(', ')}`);
  if (servers.length > 0)
    writeLine(
      io.stdout,
      `MCP servers: ${servers.join(', ')}; orchestrate tools ${shellWord(file)} --check asks them`,
    );
  writeLine(io.stdout, `\nNext: orchestrate plan ${shellWord(file)} · orchestrate run ${shellWord(file)}`);
}

/** The problems as an editor or a terminal can follow them, a line each, nothing before the file name. */
function reportProblems(error: OrchestratorError, count: number, io: Io): void {
  const style = createStyle(io.stderr, io.env);
  writeLine(io.stdout, error.message);
  writeLine(io.stderr, style.red(countOf(count, 'problem')));
  const isListed = Array.isArray(error.details['problems']);
  if (error.code !== 'task_invalid' || !isListed) writeLine(io.stderr, style.dim(error.hint));
}

function problemsOf(error: OrchestratorError): readonly Json[] {
  const { problems } = error.details;
  if (Array.isArray(problems)) return problems as readonly Json[];
  const details =
    isJsonObject(error.details) && Object.keys(error.details).length > 0 ? { details: error.details } : {};
  return [{ code: error.code, message: error.message, hint: error.hint, ...details }];
}
