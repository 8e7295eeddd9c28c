import type { Tool, ToolContext } from '../contracts/tool.ts';
import type { Json } from '../kernel/json.ts';
import { acceptResult } from './accept-result.ts';

/** Calls a tool once: its accepted result, or a promise of it where the tool is asynchronous; throws what either throws. */
export function callTool(tool: Tool, args: Json, context: ToolContext): Json | Promise<Json> {
  const returned = tool.run(args, context);
  return isThenable(returned)
    ? (returned.then((value) => acceptResult(tool, value)) as Promise<Json>)
    : acceptResult(tool, returned);
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (
    typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function'
  );
}
