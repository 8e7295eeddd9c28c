import type { Usage } from '../../contracts/model.ts';
import { formatCount } from '../format-amounts.ts';

/** What a model call used, in words; empty where that is not known. */
export function describeUsage(usage: Usage | null): string {
  return usage === null
    ? ''
    : `${formatCount(usage.inputTokens)} in, ${formatCount(usage.outputTokens)} out${usage.estimated === true ? ' (estimated)' : ''}`;
}
