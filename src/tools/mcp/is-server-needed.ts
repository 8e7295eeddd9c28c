import type { McpServerSettings } from '../../contracts/mcp.ts';
import type { ToolEffect } from '../../contracts/tool.ts';
import { isGranted, type ToolPolicy } from '../policy.ts';
import { possibleEffects } from './tool-caution.ts';
import { mcpToolName, serverOfName } from './tool-name.ts';

/** Whether policy may grant a tool of a server, as far as that is known before the server is asked what it has. */
export function isServerNeeded(name: string, settings: McpServerSettings, policy: ToolPolicy): boolean {
  const wanted = settings.only?.map((tool) => ({ tool, known: mcpToolName(name, tool) }));
  if (wanted !== undefined) {
    return wanted.some(({ tool, known }) => isGrantedAny(known, possibleEffects(settings, tool), policy));
  }
  const { allow } = policy;
  if (
    allow !== undefined &&
    !allow.some((tool) => serverOfName(tool, [name]) !== undefined && !policy.deny.includes(tool))
  ) {
    return false;
  }
  return possibleEffects(settings).some((effect) => policy.effects.includes(effect));
}

function isGrantedAny(name: string, effects: readonly ToolEffect[], policy: ToolPolicy): boolean {
  return effects.some((effect) => isGranted({ name, effect }, policy));
}
