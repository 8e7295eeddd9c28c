import type { CommandEntry } from './command.ts';

/** The commands of `orchestrate sessions`, in the order of its help. */
export const SESSION_COMMANDS: Readonly<Record<string, CommandEntry>> = {
  list: {
    usage: 'list',
    summary: 'List the sessions, the one that was talked to last first',
    load: async () => (await import('./commands/sessions/list.ts')).sessionsListCommand,
  },
  show: {
    usage: 'show [session]',
    summary: 'Show what was said in a session, and which tools were called',
    load: async () => (await import('./commands/sessions/show.ts')).sessionsShowCommand,
  },
  search: {
    usage: 'search <text>',
    summary: 'Find what was said, by its words',
    load: async () => (await import('./commands/sessions/search.ts')).sessionsSearchCommand,
  },
  export: {
    usage: 'export [session]',
    summary: 'Write a session as Markdown or JSON, without credentials',
    load: async () => (await import('./commands/sessions/export.ts')).sessionsExportCommand,
  },
  rebuild: {
    usage: 'rebuild',
    summary: 'Make the index of the sessions anew from their logs',
    load: async () => (await import('./commands/sessions/rebuild.ts')).sessionsRebuildCommand,
  },
};
