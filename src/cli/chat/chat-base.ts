import type { AgentOptions } from '../../index.ts';
import type { Arguments } from '../command.ts';
import type { ChatWishes } from '../commands/chat.ts';
import { findDefaultTask } from '../default-task.ts';
import type { Io } from '../io.ts';
import { usageError } from '../usage-error.ts';

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
      'Name a task file, or give --provider=anthropic and the tools it may use, such as --tools=read_file,list_dir.',
    );
  }
  // A task of its own: who brings a provider alone has a conversation, and the tools that are named.
  const goal = 'Do what the person asks.';
  return { ...base, task: { name: 'chat', goal, tools: [], verify: { judge: 'off' }, mode: 'agent' } };
}
