import type { Tool } from '../contracts/tool.ts';
import type { ThreadSettings } from './isolate-messages.ts';
import { ToolThread } from './tool-thread.ts';

const IDLE_MS = 10_000;

/**
 * The tool as one that runs in worker threads, so that aborting a call ends its code even where that never yields. The
 * module is loaded again in each thread; threads are kept for a while between calls and never hold up the process.
 */
export function isolateTool(tool: Tool, file: string): Tool {
  const settings: ThreadSettings = { file, tool: tool.spec.name };
  const idle = new Map<ToolThread, NodeJS.Timeout>();
  const take = (): ToolThread => {
    for (const [thread, timer] of idle) {
      clearTimeout(timer);
      idle.delete(thread);
      if (thread.isAlive) return thread;
    }
    return new ToolThread(settings);
  };
  const giveBack = (thread: ToolThread): void => {
    if (!thread.isAlive) return;
    const timer = setTimeout(() => {
      idle.delete(thread);
      thread.end();
    }, IDLE_MS);
    timer.unref();
    idle.set(thread, timer);
  };
  return {
    ...tool,
    run: async (args, context) => {
      context.signal.throwIfAborted();
      const thread = take();
      try {
        return await thread.call(args, context);
      } finally {
        giveBack(thread);
      }
    },
  };
}
