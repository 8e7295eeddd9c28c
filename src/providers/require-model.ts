import type { ModelRequest } from '../contracts/model.ts';
import { OrchestratorError } from '../kernel/errors.ts';
import type { ApiOptions } from './api-options.ts';

/** The model of a request, or the provider's default; throws `model_bad_request` where neither is given. */
export function requireModel({ name, defaultModel = '' }: ApiOptions, { model, role }: ModelRequest): string {
  if (model !== '') return model;
  if (defaultModel !== '') return defaultModel;
  throw new OrchestratorError(
    'model_bad_request',
    `no model is named for the role "${role}", and ${name} has no default`,
    {
      blame: 'user',
      hint: 'Name one under `models` in the task file.',
      details: { provider: name, role },
    },
  );
}
