/*
 * One export to an OpenTelemetry collector (OTLP over HTTP), whatever is exported. Exporting is a courtesy: it never
 * throws, and it lets go of the process when its time is up.
 */
import type { Agent } from 'node:http';
import { redactText } from '../kernel/redact-secrets.ts';
import {
  type Environment,
  type OtlpSignal,
  type OtlpTarget,
  readHeaders,
  readOtlpTarget,
} from './otlp-target.ts';

/** What an export may take where nobody says otherwise: a run waits for it at its end. */
const EXPORT_TIMEOUT_MS = 2000;

/** Where telemetry goes, and how long that may take. */
export interface ExportOptions {
  /** Base URL of the collector; goes before the environment. */
  readonly url?: string;
  /** The environment that holds the OTEL_* variables. */
  readonly env: Environment;
  /** Milliseconds after which the export is given up, whatever the collector does. */
  readonly timeoutMs?: number;
  /** When that time began, by `performance.now()`: now where it is left out. */
  readonly beganAtMs?: number;
}

/**
 * What came of an export: how many items were taken, or why they were not. `status` is that of the HTTP answer; `count`
 * are the spans that were taken where the figures were not.
 */
export type ExportResult =
  | { readonly ok: true; readonly count: number }
  | { readonly ok: false; readonly reason: string; readonly status?: number; readonly count?: number };

/** How an exporter of OpenTelemetry is set up. */
interface ExporterOptions {
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly timeoutMillis: number;
  readonly httpAgentOptions: () => Agent;
}

/** The way to a collector, open for one export. */
export interface OtlpConnection {
  readonly target: OtlpTarget;
  readonly exporter: ExporterOptions;
  /** Whether the time is up, so that nothing more is to be sent. */
  readonly isOver: () => boolean;
}

/** Sends within the time limit to the collector that the options or the environment name; never throws. */
export async function exportWithin(
  signal: OtlpSignal,
  { url, env, timeoutMs = EXPORT_TIMEOUT_MS, beganAtMs = performance.now() }: ExportOptions,
  send: (connection: OtlpConnection) => Promise<{ count: number } | Error>,
): Promise<ExportResult> {
  const target = readOtlpTarget(env, signal, url);
  if (target.kind === 'off') return { ok: true, count: 0 };
  if (target.kind === 'invalid') return { ok: false, reason: redactText(target.reason) };
  const leftMs = Math.max(1, Math.ceil(beganAtMs + timeoutMs - performance.now()));
  const deadline = startDeadline(leftMs, redactText(`${target.url} did not answer within ${timeoutMs} ms`));
  // An agent of our own can be destroyed; that of the exporter would wait for a collector that never answers.
  const agent = await createAgent(target);
  let isOver = false;
  try {
    const headers = readHeaders(env, signal);
    const exporter = { url: target.url, headers, timeoutMillis: leftMs, httpAgentOptions: () => agent };
    const sending = send({ target, exporter, isOver: () => isOver });
    const sent = await Promise.race([sending, deadline.passed]);
    if (sent instanceof Error) return refused(target, sent);
    return 'ok' in sent ? sent : { ok: true, ...sent };
  } catch (error) {
    return { ok: false, reason: redactText(`cannot export to ${target.url}: ${describe(error)}`) };
  } finally {
    isOver = true;
    deadline.stop();
    // Ends what is still under way, so that nothing keeps the process alive.
    agent.destroy();
  }
}

async function createAgent(target: OtlpTarget): Promise<Agent> {
  const { Agent: AgentOfProtocol } = target.url.startsWith('https:')
    ? await import('node:https')
    : await import('node:http');
  return new AgentOfProtocol({ ...target.tls, keepAlive: true });
}

function startDeadline(leftMs: number, reason: string): { passed: Promise<ExportResult>; stop: () => void } {
  let timer: NodeJS.Timeout | undefined;
  const passed = new Promise<ExportResult>((resolve) => {
    timer = setTimeout(() => resolve({ ok: false, reason }), leftMs);
  });
  return { passed, stop: () => clearTimeout(timer) };
}

function refused({ url, signal }: OtlpTarget, error: Error): ExportResult {
  const { code } = error as { code?: unknown };
  return {
    ok: false,
    reason: redactText(
      `${url} did not take the ${signal === 'traces' ? 'spans' : 'metrics'}: ${describe(error)}`,
    ),
    ...(typeof code === 'number' ? { status: code } : {}),
  };
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { message, code, data } = error as Error & { code?: unknown; data?: unknown };
  const parts = [
    typeof code === 'number' || (typeof code === 'string' && !message.includes(code)) ? String(code) : '',
    message || error.name,
    typeof data === 'string' && data !== '' ? `(${data.slice(0, 200)})` : '',
  ];
  return parts.filter((part) => part !== '').join(' ');
}
