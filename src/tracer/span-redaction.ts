import { redactSecrets } from '../kernel/redact-secrets.ts';
import type { Span } from './span.ts';

/** The span without anything that looks like a credential. */
export function redactSpan(span: Span): Span {
  return {
    ...span,
    name: redactSecrets(span.name).value as string,
    attributes: redactAttributes(span.attributes),
    events: span.events.map((event) => ({ ...event, attributes: redactAttributes(event.attributes) })),
    ...(span.status.code === 'error'
      ? { status: { code: 'error', message: redactSecrets(span.status.message).value as string } }
      : {}),
  };
}

function redactAttributes(attributes: Span['attributes']): Span['attributes'] {
  return redactSecrets(attributes).value as Span['attributes'];
}
