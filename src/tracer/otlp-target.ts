import { readFileSync } from 'node:fs';

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** What is sent: spans, or figures. */
export type OtlpSignal = 'traces' | 'metrics';

/** Where and how telemetry is sent. */
export interface OtlpTarget {
  readonly kind: 'target';
  readonly signal: OtlpSignal;
  readonly url: string;
  readonly protocol: 'http/protobuf' | 'http/json';
  /** Certificates as texts (PEM), where the environment names files with them. */
  readonly tls: { readonly ca?: string; readonly cert?: string; readonly key?: string };
}

type TargetReading =
  OtlpTarget | { readonly kind: 'off' } | { readonly kind: 'invalid'; readonly reason: string };

/** The collector that a URL or the OTEL_* variables name; `off` where there is none or telemetry is turned off. */
export function readOtlpTarget(env: Environment, signal: OtlpSignal, url?: string): TargetReading {
  const upper = signal.toUpperCase();
  const path = `/v1/${signal}`;
  if (isTelemetryOff(env)) return { kind: 'off' };
  const isUnwanted = env[`OTEL_${upper}_EXPORTER`]?.trim() === 'none';
  // A URL asks for spans, whatever the environment says of them.
  if (isUnwanted && (url === undefined || signal === 'metrics')) return { kind: 'off' };
  const base = url ?? env['OTEL_EXPORTER_OTLP_ENDPOINT'];
  const whole = url === undefined ? env[`OTEL_EXPORTER_OTLP_${upper}_ENDPOINT`] : undefined;
  if (!whole && !base) return { kind: 'off' };
  try {
    const parsed = new URL(whole || base || '');
    if (parsed.protocol !== 'http:' && parsed.protocol !== 'https:') return invalidUrl(parsed.href);
    // A URL with the path of a signal is taken for that of the collector: people copy it so.
    if (!whole) parsed.pathname = parsed.pathname.replace(SIGNAL_PATH, '').replace(/\/$/, '') + path;
    const protocol = readProtocol(env, upper);
    return { kind: 'target', signal, url: parsed.href, protocol, tls: readCertificates(env, upper) };
  } catch (error) {
    return error instanceof TypeError
      ? invalidUrl(whole || base || '')
      : { kind: 'invalid', reason: (error as Error).message };
  }
}

const SIGNAL_PATH = /\/v1\/(?:traces|metrics)\/?$/;

/** Whether the standard variable turns all telemetry off. */
export function isTelemetryOff(env: Environment): boolean {
  return env['OTEL_SDK_DISABLED']?.trim().toLowerCase() === 'true';
}

/** Whether a collector is named for anything; tells it without a look at how it is reached. */
export function isTelemetryWanted(env: Environment, url?: string): boolean {
  if (isTelemetryOff(env)) return false;
  const variables = ['ENDPOINT', 'TRACES_ENDPOINT', 'METRICS_ENDPOINT'];
  return url !== undefined || variables.some((variable) => Boolean(env[`OTEL_EXPORTER_OTLP_${variable}`]));
}

/** Headers of requests to the collector: those of the signal before those of all. */
export function readHeaders(env: Environment, signal: OtlpSignal): Record<string, string> {
  const variables = ['OTEL_EXPORTER_OTLP_HEADERS', `OTEL_EXPORTER_OTLP_${signal.toUpperCase()}_HEADERS`];
  return Object.assign({}, ...variables.map((variable) => readPairs(env[variable]))) as Record<
    string,
    string
  >;
}

/** Attributes of the resource that spans belong to: OTEL_RESOURCE_ATTRIBUTES, and OTEL_SERVICE_NAME or `sortie`. */
export function resourceAttributes(env: Environment): Record<string, string> {
  const attributes = { 'service.name': 'sortie', ...readPairs(env['OTEL_RESOURCE_ATTRIBUTES']) };
  const serviceName = env['OTEL_SERVICE_NAME']?.trim();
  if (serviceName) attributes['service.name'] = serviceName;
  return attributes;
}

/** Pairs such as `key=value,other=a%20value`; what is no pair is passed over. A value may hold `=`, as base64 does. */
function readPairs(text = ''): Record<string, string> {
  const pairs: Record<string, string> = {};
  for (const pair of text.split(',')) {
    const [, key, value] = /^\s*([^=\s]+)\s*=\s*(.*?)\s*$/.exec(pair) ?? [];
    if (key !== undefined && value !== undefined) pairs[decode(key)] = decode(value);
  }
  return pairs;
}

function readProtocol(env: Environment, signal: string): OtlpTarget['protocol'] {
  const protocol = (
    env[`OTEL_EXPORTER_OTLP_${signal}_PROTOCOL`] ||
    env['OTEL_EXPORTER_OTLP_PROTOCOL'] ||
    'http/protobuf'
  ).trim();
  if (protocol === 'http/protobuf' || protocol === 'http/json') return protocol;
  throw new Error(
    `OTEL_EXPORTER_OTLP_PROTOCOL is "${protocol}", which is not supported: use http/protobuf or http/json`,
  );
}

function readCertificates(env: Environment, signal: string): OtlpTarget['tls'] {
  const ca = readNamedFile(env, signal, 'CERTIFICATE');
  const cert = readNamedFile(env, signal, 'CLIENT_CERTIFICATE');
  const key = readNamedFile(env, signal, 'CLIENT_KEY');
  return {
    ...(ca === null ? {} : { ca }),
    ...(cert === null ? {} : { cert }),
    ...(key === null ? {} : { key }),
  };
}

function readNamedFile(env: Environment, signal: string, what: string): string | null {
  for (const variable of [`OTEL_EXPORTER_OTLP_${signal}_${what}`, `OTEL_EXPORTER_OTLP_${what}`]) {
    const path = env[variable];
    if (!path) continue;
    try {
      return readFileSync(path, 'utf8');
    } catch (error) {
      throw new Error(`${variable} names "${path}", which cannot be read: ${(error as Error).message}`);
    }
  }
  return null;
}

function invalidUrl(text: string): TargetReading {
  return { kind: 'invalid', reason: `"${text}" is not the URL of a collector; try http://localhost:4318` };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
