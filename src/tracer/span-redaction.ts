import { redactSecrets, redactText } from '../kernel/redact-secrets.ts';
import type { Span } from './span.ts';

/** The span without anything that looks like a credential. */
export function redactSpan(span: Span): Span {
  return {
    ...span,
    name: redactText(span.name),
    attributes: redactAttributes(span.attributes),
    events: span.events.map((event) => ({ ...event, attributes: redactAttributes(event.attributes) })),
    ...(span.status.code === 'error'
      ? { status: { code: 'error', message: redactText(span.status.message) } }
      : {}),
  };
}

function redactAttributes(attributes: Span['attributes']): Span['attributes'] {
  return redactSecrets(attributes).value as Span['attributes'];
}
