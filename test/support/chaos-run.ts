import { z } from 'zod';
import type { TaskInput } from '../../src/contracts/task.ts';
import type { FlightEvent } from '../../src/flight/events.ts';
import { MemoryRunStore } from '../../src/flight/memory-log.ts';
import { defineTool, orchestrate, type RunResult, type RunState } from '../../src/index.ts';
import type { ApiMode } from '../../src/providers/reasoning.ts';
import { node, plan } from './core.ts';
import { type ModelServer, type Scenario, startModelServer } from './model-server/model-server.ts';
import type { WireRequest } from './model-server/wire.ts';

/** The callers of models that something goes wrong for. */
export const ROLES = ['planner', 'worker', 'critic'] as const;

/** A caller of models. */
export type Role = (typeof ROLES)[number];

/** What each role says where nothing goes wrong; the worker is asked by a tool. */
export const RIGHT_REPLIES: Readonly<Record<Role, string>> = {
  planner: JSON.stringify(plan(node('w', { tool: 'write_text' }))),
  worker: 'Lima lies at the sea.',
  critic: '{"score":1,"issues":[]}',
};

/** A model of each role, by which the server knows who asks. */
export const ROLE_MODELS: Readonly<Record<ApiMode, Readonly<Record<Role, string>>>> = {
  messages: { planner: 'claude-opus-4-5', worker: 'claude-sonnet-4-5', critic: 'claude-haiku-4-5' },
  chat: { planner: 'gpt-4.1', worker: 'gpt-4.1-mini', critic: 'gpt-4.1-nano' },
  responses: { planner: 'gpt-5.1', worker: 'gpt-5-mini', critic: 'gpt-5.4-mini' },
};

const PROVIDERS: Readonly<Record<ApiMode, string>> = {
  messages: 'anthropic',
  chat: 'openai',
  responses: 'openai-responses',
};

const writeText = defineTool({
  name: 'write_text',
  description: 'Has a text written.',
  input: z.strictObject({}),
  output: z.string(),
  costHint: 1,
  effect: 'read',
  run: (_args, context) => context.ask('writer', { prompt: 'Write about Lima.' }),
});

/** What happens to one request of a run: its role, and how many the role has made before it. */
export type Answerer = (role: Role, before: number) => Scenario;

/** A run over HTTP, and what was seen of it. */
export interface ChaosRun {
  readonly result: RunResult;
  readonly events: readonly FlightEvent[];
  readonly requests: readonly Role[];
  readonly elapsedMs: number;
  /** Events after which more was spent or reserved than the limits allow. */
  readonly overdrawn: readonly FlightEvent[];
  /** Whether the ledger still holds a reservation at the end. */
  readonly isReserved: boolean;
}

/** Runs over one server, told apart by their keys, so that they may overlap. */
export class ChaosServer {
  readonly #server: ModelServer;
  readonly #runs = new Map<string, { answer: Answerer; requests: Role[] }>();

  private constructor(server: ModelServer) {
    this.#server = server;
  }

  /** A server that listens. */
  static async start(): Promise<ChaosServer> {
    const started: { server: ChaosServer | null } = { server: null };
    const server = await startModelServer((request) => started.server?.answer(request) ?? { status: 503 });
    started.server = new ChaosServer(server);
    return started.server;
  }

  close(): Promise<void> {
    return this.#server.close();
  }

  /** What the run that a request belongs to wants to happen to it. */
  answer({ api, headers, model }: WireRequest): Scenario {
    const key = String(headers['x-api-key'] ?? headers['authorization']).replace('Bearer ', '');
    const run = this.#runs.get(key);
    const role = ROLES.find((candidate) => ROLE_MODELS[api][candidate] === model);
    if (run === undefined || role === undefined) return { status: 418 };
    const before = run.requests.filter((asked) => asked === role).length;
    run.requests.push(role);
    return run.answer(role, before);
  }

  /** Runs the task to its end. */
  async run(
    api: ApiMode,
    isStreamed: boolean,
    answer: Answerer,
    settings: Pick<TaskInput, 'limits' | 'budget'> = {},
  ): Promise<ChaosRun> {
    const key = `key-of-run-${this.#runs.size + 1}`;
    const requests: Role[] = [];
    this.#runs.set(key, { answer, requests });
    const events: FlightEvent[] = [];
    const overdrawn: FlightEvent[] = [];
    const last: { state: RunState | null } = { state: null };
    const startedAt = performance.now();
    const result = await orchestrate({
      task: {
        name: 'chaos',
        goal: 'Write about Lima.',
        provider: {
          name: PROVIDERS[api],
          baseUrl: this.#server.baseUrl(api),
          apiKeyEnv: 'CHAOS_KEY',
          stream: isStreamed,
        },
        models: { ...ROLE_MODELS[api] },
        verify: { judge: 'on' },
        ...settings,
        budget: { llmCalls: 40, tokens: 400_000, toolCalls: 20, wallSeconds: 30, ...settings.budget },
        limits: {
          ...{ attempts: 2, planRounds: 2, replans: 0, backoffMs: 2, backoffCapMs: 5 },
          ...{ maxOutputTokens: 500, modelIdleTimeoutMs: 10_000, ...settings.limits },
        },
      },
      tools: [writeText],
      env: { CHAOS_KEY: key },
      store: new MemoryRunStore(),
      onEvent: (event, state) => {
        events.push(event);
        last.state = state;
        if (isOverdrawn(state)) overdrawn.push(event);
      },
    });
    const elapsedMs = performance.now() - startedAt;
    const reserved = last.state?.ledger.reserved;
    const isReserved = reserved === undefined || Object.values(reserved).some((amount) => amount !== 0);
    return { result, events, requests, elapsedMs, overdrawn, isReserved };
  }
}

function isOverdrawn({ ledger: { settled, reserved, limits } }: RunState): boolean {
  return (['llmCalls', 'tokens', 'toolCalls'] as const).some(
    (amount) => settled[amount] + reserved[amount] > limits[amount],
  );
}
