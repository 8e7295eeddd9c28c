import type { ModelRequest } from '../contracts/model.ts';
import { OrchestratorError } from '../kernel/errors.ts';

/** Throws `model_bad_request` for a request that asks for an image or a transcript, which the provider cannot make. */
export function refuseMedia(provider: string, { media, role }: Pick<ModelRequest, 'media' | 'role'>): void {
  if (media === undefined) return;
  const what = media.kind === 'image' ? 'make no images' : 'write no speech down';
  throw new OrchestratorError('model_bad_request', `the models of ${provider} ${what}`, {
    blame: 'user',
    hint: `Give the role "${role}" a chain of its own under \`models\`, with a provider that speaks the API of OpenAI.`,
    details: { provider, role },
  });
}
