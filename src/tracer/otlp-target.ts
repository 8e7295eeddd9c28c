import { readFileSync } from 'node:fs';

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Where and how spans are sent. */
export interface OtlpTarget {
  readonly kind: 'target';
  readonly url: string;
  readonly protocol: 'http/protobuf' | 'http/json';
  /** Certificates as texts (PEM), where the environment names files with them. */
  readonly tls: { readonly ca?: string; readonly cert?: string; readonly key?: string };
}

type TargetReading =
  OtlpTarget | { readonly kind: 'off' } | { readonly kind: 'invalid'; readonly reason: string };

const TRACES_PATH = '/v1/traces';

/** The collector that a URL or the OTEL_* variables name; `off` where there is none or tracing is turned off. */
export function readOtlpTarget(env: Environment, url?: string): TargetReading {
  if (env['OTEL_SDK_DISABLED']?.trim().toLowerCase() === 'true') return { kind: 'off' };
  if (url === undefined && env['OTEL_TRACES_EXPORTER']?.trim() === 'none') return { kind: 'off' };
  const base = url ?? env['OTEL_EXPORTER_OTLP_ENDPOINT'];
  const whole = url === undefined ? env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'] : undefined;
  if (!whole && !base) return { kind: 'off' };
  try {
    const parsed = new URL(whole || base || '');
    if (parsed.protocol !== 'http:' && parsed.protocol !== 'https:') return invalidUrl(parsed.href);
    if (!whole && !parsed.pathname.endsWith(TRACES_PATH)) {
      parsed.pathname = parsed.pathname.replace(/\/$/, '') + TRACES_PATH;
    }
    return { kind: 'target', url: parsed.href, ...readProtocol(env), tls: readCertificates(env) };
  } catch (error) {
    return error instanceof TypeError
      ? invalidUrl(whole || base || '')
      : { kind: 'invalid', reason: (error as Error).message };
  }
}

/** Attributes of the resource that spans belong to: OTEL_RESOURCE_ATTRIBUTES, and OTEL_SERVICE_NAME or `sortie`. */
export function resourceAttributes(env: Environment): Record<string, string> {
  const attributes: Record<string, string> = { 'service.name': 'sortie' };
  for (const pair of (env['OTEL_RESOURCE_ATTRIBUTES'] ?? '').split(',')) {
    const [, key, value] = /^\s*([^=\s]+)\s*=\s*([^=]*?)\s*$/.exec(pair) ?? [];
    if (key !== undefined && value !== undefined) attributes[decode(key)] = decode(value);
  }
  const serviceName = env['OTEL_SERVICE_NAME']?.trim();
  if (serviceName) attributes['service.name'] = serviceName;
  return attributes;
}

function readProtocol(env: Environment): Pick<OtlpTarget, 'protocol'> {
  const protocol = (
    env['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL'] ||
    env['OTEL_EXPORTER_OTLP_PROTOCOL'] ||
    'http/protobuf'
  ).trim();
  if (protocol === 'http/protobuf' || protocol === 'http/json') return { protocol };
  throw new Error(
    `OTEL_EXPORTER_OTLP_PROTOCOL is "${protocol}", which is not supported: use http/protobuf or http/json`,
  );
}

function readCertificates(env: Environment): OtlpTarget['tls'] {
  const ca = readNamedFile(env, 'CERTIFICATE');
  const cert = readNamedFile(env, 'CLIENT_CERTIFICATE');
  const key = readNamedFile(env, 'CLIENT_KEY');
  return {
    ...(ca === null ? {} : { ca }),
    ...(cert === null ? {} : { cert }),
    ...(key === null ? {} : { key }),
  };
}

function readNamedFile(env: Environment, what: string): string | null {
  for (const variable of [`OTEL_EXPORTER_OTLP_TRACES_${what}`, `OTEL_EXPORTER_OTLP_${what}`]) {
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
