import { OrchestratorError } from '../kernel/errors.ts';
import { isJsonObject, type Json, setOwn, toPointer } from '../kernel/json.ts';
import { REDACTED, redactSecrets } from '../kernel/redact-secrets.ts';

/**
 * A value that was changed by somebody who was shown the original without its credentials: texts that are as they were
 * shown become those of the original. Throws `usage` where something else holds what was redacted.
 */
export function restoreRedacted(changed: Json, original: Json, pointer = '', field = ''): Json {
  if (typeof changed === 'string') {
    if (!changed.includes(REDACTED)) return changed;
    const shown = redactSecrets({ [field]: original }).value as { readonly [name: string]: Json };
    if (typeof original === 'string' && shown[field] === changed) return original;
    throw new OrchestratorError(
      'usage',
      `--args ${pointer}: holds ${REDACTED}, which stood for a credential`,
      {
        hint: 'Leave that text as it was, or write it anew.',
      },
    );
  }
  if (Array.isArray(changed)) {
    const before = Array.isArray(original) ? (original as readonly Json[]) : [];
    return (changed as readonly Json[]).map((item, index) =>
      restoreRedacted(item, before[index] ?? null, `${pointer}/${index}`),
    );
  }
  if (!isJsonObject(changed)) return changed;
  const restored: Record<string, Json> = {};
  for (const key of Object.keys(changed)) {
    const before = isJsonObject(original) && Object.hasOwn(original, key) ? (original[key] as Json) : null;
    setOwn(
      restored,
      key,
      restoreRedacted(changed[key] as Json, before, `${pointer}${toPointer([key])}`, key),
    );
  }
  return restored;
}
