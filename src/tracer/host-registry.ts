const API_REGISTRY = Symbol.for('opentelemetry.js.api.1');

/** Whether the program that this runs in has registered a tracer provider of its own with OpenTelemetry. Loads nothing. */
export function hasHostTracing(): boolean {
  const registry = (globalThis as Record<symbol, unknown>)[API_REGISTRY] as
    { readonly trace?: unknown } | undefined;
  return registry?.trace !== undefined;
}
