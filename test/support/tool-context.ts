import type { ToolContext } from '../../src/contracts/tool.ts';

/** A context for calling a tool by hand; asking a model fails unless `ask` is given. */
export function createToolContext(overrides: Partial<ToolContext> = {}): ToolContext {
  return {
    signal: new AbortController().signal,
    key: 'node/1',
    idempotencyKey: 'run/node',
    workspace: '/nowhere',
    log: () => undefined,
    spawn: ({ command }) => Promise.reject(new Error(`nobody starts ${command}`)),
    ask: (role) => Promise.reject(new Error(`nobody answers for ${role}`)),
    ...overrides,
  };
}
