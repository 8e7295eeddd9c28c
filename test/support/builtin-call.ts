import type { ToolContext } from '../../src/contracts/tool.ts';
import type { Json } from '../../src/kernel/json.ts';
import type { BuiltinSettings } from '../../src/tools/builtin/builtin-settings.ts';
import { builtinTools } from '../../src/tools/builtin/builtin-tools.ts';
import type { BuiltinToolName } from '../../src/tools/builtin/names.ts';
import { callTool } from '../../src/tools/call-tool.ts';
import { createToolContext } from './tool-context.ts';

/** Calls a built-in tool as the engine does: arguments checked before, and the result after it. */
export async function callBuiltin(
  name: BuiltinToolName,
  args: Json,
  context: Partial<ToolContext> = {},
  settings: BuiltinSettings = {},
): Promise<Json> {
  const [tool] = await builtinTools([name], settings);
  if (tool === undefined) throw new Error(`there is no tool ${name}`);
  // In a run the members of a context are inherited, some of them accessors: a copy by spread has none of them.
  return callTool(tool, args, Object.create(createToolContext(context)) as ToolContext);
}
