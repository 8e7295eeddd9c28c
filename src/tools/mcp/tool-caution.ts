import type { McpServerSettings } from '../../contracts/mcp.ts';
import type { ToolEffect, ToolSpec } from '../../contracts/tool.ts';

/** What a server says of a tool of its own; nobody but the server vouches for it. */
export interface ToolAnnotations {
  readonly readOnlyHint?: boolean | undefined;
  readonly destructiveHint?: boolean | undefined;
  readonly idempotentHint?: boolean | undefined;
  readonly openWorldHint?: boolean | undefined;
}

type Caution = Pick<ToolSpec, 'effect' | 'openWorld' | 'idempotent' | 'argumentKinds'>;

const RANKS: Readonly<Record<ToolEffect, number>> = { read: 0, write: 1, irreversible: 2 };

/**
 * How carefully a tool is handled. What the task says of the tool is final. Else the task's word on the server holds,
 * which annotations may raise, and lower only where the task trusts them.
 */
export function toolCaution(
  settings: McpServerSettings,
  tool: string,
  annotations: ToolAnnotations,
): Caution {
  const own = Object.hasOwn(settings.tools, tool) ? settings.tools[tool] : undefined;
  const { trustAnnotations } = settings;
  const claimed = claimedEffect(annotations);
  const effect = trustAnnotations
    ? (claimed ?? settings.effect)
    : claimed !== null && RANKS[claimed] > RANKS[settings.effect]
      ? claimed
      : settings.effect;
  const openWorld = trustAnnotations
    ? (annotations.openWorldHint ?? settings.openWorld)
    : settings.openWorld || annotations.openWorldHint === true;
  const idempotent = own?.idempotent ?? (trustAnnotations && annotations.idempotentHint === true);
  return {
    effect: own?.effect ?? effect,
    openWorld: own?.openWorld ?? openWorld,
    ...(idempotent ? { idempotent: true } : {}),
    ...(own?.argumentKinds === undefined ? {} : { argumentKinds: own.argumentKinds }),
  };
}

/** Every effect that a tool may turn out to have: the one named, or any tool of the server. */
export function possibleEffects(settings: McpServerSettings, tool?: string): readonly ToolEffect[] {
  const { effect, trustAnnotations, tools } = settings;
  const isPossible = (each: ToolEffect): boolean => trustAnnotations || RANKS[each] >= RANKS[effect];
  const unsaid = (['read', 'write', 'irreversible'] as const).filter(isPossible);
  if (tool === undefined)
    return [...new Set([...unsaid, ...Object.values(tools).flatMap((own) => own.effect ?? [])])];
  const own = Object.hasOwn(tools, tool) ? tools[tool]?.effect : undefined;
  return own === undefined ? unsaid : [own];
}

/** What the hints come to; null where they say nothing. A tool that writes destroys unless it is said not to. */
function claimedEffect({ readOnlyHint, destructiveHint }: ToolAnnotations): ToolEffect | null {
  if (readOnlyHint === true) return destructiveHint === true ? 'irreversible' : 'read';
  if (destructiveHint === true) return 'irreversible';
  if (destructiveHint === false) return 'write';
  return readOnlyHint === false ? 'irreversible' : null;
}
