import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { hasGo, jaegerBinary } from '../../scripts/build-jaeger.mjs';

/** Jaeger on loopback, all in memory. */
export interface JaegerServer {
  /** Where spans are sent. */
  readonly otlpUrl: string;
  /** What the query API answers with, as JSON. */
  query(path: string): Promise<unknown>;
  stop(): void;
}

const CONFIG = join(import.meta.dirname, '../services/jaeger/jaeger.yaml');
const START_TIMEOUT_MS = 30_000;

/** Starts Jaeger; where there is no Go to build it with the answer says so. Throws where it does not start. */
export async function startJaeger(): Promise<JaegerServer | { readonly missing: string }> {
  if (!existsSync(jaegerBinary)) {
    if (!hasGo()) return { missing: 'there is no Go to build it with' };
    throw new Error(`${jaegerBinary} was not built; the set-up of the tests says why`);
  }
  const child = spawn(jaegerBinary, ['--config', `file:${CONFIG}`], { stdio: ['ignore', 'ignore', 'pipe'] });
  const stop = (): void => void child.kill('SIGTERM');
  process.once('exit', stop);
  try {
    const { query, otlp } = await new Promise<{ query: string; otlp: string }>((resolve, reject) => {
      const addresses = { query: '', otlp: '' };
      const timer = setTimeout(() => reject(new Error('Jaeger did not start')), START_TIMEOUT_MS);
      child.once('error', reject);
      child.once('exit', (code) => reject(new Error(`Jaeger ended with ${String(code)}`)));
      createInterface({ input: child.stderr }).on('line', (line) => {
        const entry = parseLine(line);
        const component = entry['otelcol.component.id'];
        if (entry['msg'] === 'Query server started') addresses.query = String(entry['http_addr']);
        if (entry['msg'] === 'Starting HTTP server' && component === 'otlp')
          addresses.otlp = String(entry['endpoint']);
        if (addresses.query === '' || addresses.otlp === '') return;
        clearTimeout(timer);
        resolve(addresses);
      });
    });
    return {
      otlpUrl: `http://${otlp}`,
      query: async (path) => (await fetch(`http://${query}${path}`)).json(),
      stop,
    };
  } catch (error) {
    stop();
    throw error;
  }
}

function parseLine(line: string): Record<string, unknown> {
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    return {};
  }
}
