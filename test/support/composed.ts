import type { ModelRequest } from '../../src/contracts/model.ts';
import type { Provider } from '../../src/contracts/ports.ts';
import type { Tool } from '../../src/contracts/tool.ts';
import type { FlightEvent } from '../../src/flight/events.ts';
import { MemoryRunStore } from '../../src/flight/memory-log.ts';
import { type RunOptions, type TaskValue, ToolError } from '../../src/index.ts';
import type { Json } from '../../src/kernel/json.ts';
import { answer, echoTool, plan } from './core.ts';

/** A provider that answers each role with a text, and counts how often it was asked. */
export function byRole(replies: Readonly<Record<string, string | ((request: ModelRequest) => string)>>): {
  provider: Provider;
  asked: string[];
} {
  const asked: string[] = [];
  const provider: Provider = {
    name: 'by-role',
    complete: (request) => {
      asked.push(request.role);
      const reply = replies[request.role];
      if (reply === undefined) return Promise.reject(new Error(`nobody answers ${request.role}`));
      return Promise.resolve(answer(typeof reply === 'string' ? reply : reply(request)));
    },
  };
  return { provider, asked };
}

/** A tool that sends something, which cannot be taken back, and what it has sent. */
export function sendTool(sent: Json[], name = 'send'): Tool {
  return echoTool(name, {
    effect: 'irreversible',
    input: {
      type: 'object',
      properties: { to: { type: 'string' }, after: {} },
      required: ['to'],
      additionalProperties: false,
    },
    output: { type: 'string' },
    run: (args) => {
      sent.push(args);
      return `sent to ${(args as { to: string }).to}`;
    },
  });
}

/** A store with a run whose process died after these events. */
export async function cutOff(runId: string, events: readonly FlightEvent[]): Promise<MemoryRunStore> {
  const store = new MemoryRunStore();
  const { log } = await store.create(runId);
  for (const event of events) log.append(event);
  await log.close();
  return store;
}

/** A look-up that fails until it is told to hold. */
export function flakyTool(): { tool: Tool; heal: () => void } {
  let isWell = false;
  const tool = echoTool('flaky', {
    run: () => {
      if (!isWell) throw new ToolError('PERMANENT', 'not today');
      return 'found';
    },
  });
  return {
    tool,
    heal: () => {
      isWell = true;
    },
  };
}

/** A run in a store of its own that draws this plan and asks nothing else. */
export function planned(
  tools: readonly Tool[],
  nodes: readonly Json[],
  more: Partial<Omit<RunOptions, 'task'>> = {},
) {
  const store = new MemoryRunStore();
  const { provider, asked } = byRole({ planner: JSON.stringify(plan(...nodes)) });
  const task: TaskValue = {
    ...{ name: 'planned', goal: 'Reach the goal.', verify: { judge: 'off' }, limits: { replans: 0 } },
  };
  const options = {
    task,
    tools,
    provider,
    store,
    workspace: '/',
    runId: 'r1',
    ...more,
  } satisfies RunOptions;
  return { store, options, asked, again: { store, tools, provider } };
}
