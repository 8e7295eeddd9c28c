import type { AgentOptions } from '../../index.ts';
import type { Arguments } from '../command.ts';
import type { ChatWishes } from '../commands/chat.ts';
import { findDefaultTask } from '../default-task.ts';
import type { Io } from '../io.ts';
import { usageError } from '../usage-error.ts';

/** What an agent may use where no task says so: it reads, and changes nothing. */
const DEFAULT_TOOLS = ['list_files', 'search_files', 'read_file'];

/** What a session is opened from, as the command line names it; throws `usage` where nothing says which model to ask. */
export function chatBase({ task, resume }: ChatWishes, args: Arguments, io: Io): AgentOptions {
  const runsFolder = args.text('runs-folder');
  const flags = args.taskFlags;
  const base = { flags, env: io.env, ...(runsFolder === undefined ? {} : { runsFolder }) };
  if (resume !== null) return base;
  const file = task ?? findDefaultTask();
  if (file !== undefined) return { ...base, task: file };
  if (flags['provider'] === undefined && io.env['ORCHESTRATE_PROVIDER'] === undefined) {
    throw usageError(
      'there is no task.yaml here, and nothing says which model to ask',
      'Name a task file, or give --provider=anthropic or another, and with --tools=… what it may use.',
    );
  }
  // A task of its own: a conversation that may look at the files here, unless other tools are named.
  const goal = 'Do what the person asks.';
  return {
    ...base,
    task: { name: 'chat', goal, tools: DEFAULT_TOOLS, verify: { judge: 'off' }, mode: 'agent' },
  };
}
