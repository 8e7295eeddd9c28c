import type { CommandEntry } from './command.ts';

/** The commands of `orchestrate memory`, in the order of its help. */
export const MEMORY_COMMANDS: Readonly<Record<string, CommandEntry>> = {
  search: {
    usage: 'search <text>',
    summary: 'Find what is most like a text, as a run would',
    load: async () => (await import('./commands/memory/search.ts')).memorySearchCommand,
  },
  add: {
    usage: 'add <text>',
    summary: 'Tell runs to come a fact',
    load: async () => (await import('./commands/memory/add.ts')).memoryAddCommand,
  },
  list: {
    usage: 'list',
    summary: 'List memories, the newest first',
    load: async () => (await import('./commands/memory/list.ts')).memoryListCommand,
  },
  show: {
    usage: 'show <id>',
    summary: 'Show all of one memory',
    load: async () => (await import('./commands/memory/show.ts')).memoryShowCommand,
  },
  forget: {
    usage: 'forget [ids..]',
    summary: 'Forget memories by id, by age or by size',
    load: async () => (await import('./commands/memory/forget.ts')).memoryForgetCommand,
  },
  stats: {
    usage: 'stats',
    summary: 'Count memories, their size and their vectors',
    load: async () => (await import('./commands/memory/stats.ts')).memoryStatsCommand,
  },
  reindex: {
    usage: 'reindex',
    summary: 'Give memories the vectors that they lack',
    load: async () => (await import('./commands/memory/reindex.ts')).memoryReindexCommand,
  },
  pull: {
    usage: 'pull',
    summary: 'Download the model that compares meanings',
    load: async () => (await import('./commands/memory/pull.ts')).memoryPullCommand,
  },
  export: {
    usage: 'export',
    summary: 'Write memories as lines of JSON, without credentials',
    load: async () => (await import('./commands/memory/export.ts')).memoryExportCommand,
  },
  import: {
    usage: 'import [file]',
    summary: 'Take exported memories in',
    load: async () => (await import('./commands/memory/import.ts')).memoryImportCommand,
  },
};
