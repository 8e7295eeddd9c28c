import type { CommandEntry } from './command.ts';
import { MEMORY_COMMANDS } from './memory-commands.ts';
import { SESSION_COMMANDS } from './session-commands.ts';

/** A name that only gathers commands: `memory` of `memory search`. */
interface CommandGroup {
  readonly summary: string;
  readonly commands: Readonly<Record<string, CommandEntry>>;
}

/** Every command by name, in the order of the help; a command's own code is loaded only when it is used. */
export const COMMANDS: Readonly<Record<string, CommandEntry | CommandGroup>> = {
  run: {
    usage: 'run <file>',
    summary: 'Run a task and print its verified result',
    load: async () => (await import('./commands/run.ts')).runCommand,
  },
  resume: {
    usage: 'resume <run>',
    summary: 'Go on with a run that ended early, waits, or whose process died',
    load: async () => (await import('./commands/resume.ts')).resumeCommand,
  },
  chat: {
    usage: 'chat [task]',
    summary: 'Talk with an agent, in a terminal or line by line',
    load: async () => (await import('./commands/chat.ts')).chatCommand,
  },
  sessions: {
    summary: 'List, show, search and export conversations with agents',
    commands: SESSION_COMMANDS,
  },
  approvals: {
    usage: 'approvals',
    summary: 'List what waits for a person, in every run',
    load: async () => (await import('./commands/approvals.ts')).approvalsCommand,
  },
  approve: {
    usage: 'approve <run> <node>',
    summary: 'Allow a call that waits, or say what came of one',
    load: async () => (await import('./commands/answer.ts')).approveCommand,
  },
  deny: {
    usage: 'deny <run> <node>',
    summary: 'Deny a call that waits',
    load: async () => (await import('./commands/answer.ts')).denyCommand,
  },
  fork: {
    usage: 'fork <run>',
    summary: 'Begin a new run with the beginning of a recorded one',
    load: async () => (await import('./commands/fork.ts')).forkCommand,
  },
  plan: {
    usage: 'plan <file>',
    summary: 'Draw and check a plan without running any tool',
    load: async () => (await import('./commands/plan.ts')).planCommand,
  },
  check: {
    usage: 'check <file>',
    summary: 'Check a task file, its tools and its policy',
    load: async () => (await import('./commands/check.ts')).checkCommand,
  },
  show: {
    usage: 'show <run>',
    summary: 'Show a run: nodes, timeline, budget, verdict',
    load: async () => (await import('./commands/show.ts')).showCommand,
  },
  web: {
    usage: 'web',
    summary: 'Serve a page with every run, to watch and to answer',
    load: async () => (await import('./commands/web.ts')).webCommand,
  },
  why: {
    usage: 'why <run> [node]',
    summary: 'Say why a run, or one node, ended as it did',
    load: async () => (await import('./commands/why.ts')).whyCommand,
  },
  runs: {
    usage: 'runs [action]',
    summary: 'List the runs, or remove old ones (runs prune)',
    load: async () => (await import('./commands/runs.ts')).runsCommand,
  },
  replay: {
    usage: 'replay <run>',
    summary: 'Decide a recorded run again and compare',
    load: async () => (await import('./commands/replay.ts')).replayCommand,
  },
  diff: {
    usage: 'diff <a> <b>',
    summary: 'Put two runs side by side',
    load: async () => (await import('./commands/diff.ts')).diffCommand,
  },
  trace: {
    usage: 'trace <run>',
    summary: 'Export the spans of a run, to a collector or as a file',
    load: async () => (await import('./commands/trace.ts')).traceCommand,
  },
  'verify-log': {
    usage: 'verify-log <run>',
    summary: 'Verify the log of a run, and print its first bad line',
    load: async () => (await import('./commands/verify-log.ts')).verifyLogCommand,
  },
  export: {
    usage: 'export <run>',
    summary: 'Write a run as one file, without credentials',
    load: async () => (await import('./commands/export.ts')).exportCommand,
  },
  import: {
    usage: 'import <file>',
    summary: 'Take an exported run in',
    load: async () => (await import('./commands/import.ts')).importCommand,
  },
  memory: {
    summary: 'Search and keep what runs remember',
    commands: MEMORY_COMMANDS,
  },
  tools: {
    usage: 'tools [file]',
    summary: 'List the tools of a task, or the built-in ones',
    load: async () => (await import('./commands/tools.ts')).toolsCommand,
  },
  mcp: {
    usage: 'mcp [folder]',
    summary: 'Serve tasks to an MCP client over stdio: run_task, plan_task, get_run',
    load: async () => (await import('./commands/mcp.ts')).mcpCommand,
  },
  schema: {
    usage: 'schema',
    summary: 'Print the JSON Schema of a task file, for editors',
    load: async () => (await import('./commands/schema.ts')).schemaCommand,
  },
  init: {
    usage: 'init [folder]',
    summary: 'Write a small task that runs at once',
    load: async () => (await import('./commands/init.ts')).initCommand,
  },
  doctor: {
    usage: 'doctor [file]',
    summary: 'Check that this machine has what runs need',
    load: async () => (await import('./commands/doctor.ts')).doctorCommand,
  },
  completion: {
    usage: 'completion [shell]',
    summary: 'Print a completion script for bash or zsh',
    load: async () => (await import('./commands/completion.ts')).completionCommand,
  },
};
