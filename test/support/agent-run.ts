/* Runs with agents through the real driver, their model scripted by role and round. */
import { delegateTool } from '../../src/compose/agent-tools.ts';
import type { ModelAnswer, ModelRequest } from '../../src/contracts/model.ts';
import type { Provider } from '../../src/contracts/ports.ts';
import type { TaskInput } from '../../src/contracts/task.ts';
import type { Tool } from '../../src/contracts/tool.ts';
import { calling } from './agent-world.ts';
import { answer, echoTool, task } from './core.ts';
import type { FlightEvent } from '../../src/flight/events.ts';
import { type EngineRun, engineRun } from './engine-run.ts';

/** What a model says to a request of some role; a text is an answer. */
export type Say = (request: ModelRequest, key: string) => ModelAnswer | string | Promise<ModelAnswer>;

/** A provider that answers by role; whatever is thrown is a failure of the call. */
export function speaking(says: Readonly<Record<string, Say>>): Provider & { readonly asked: ModelRequest[] } {
  const asked: ModelRequest[] = [];
  return {
    name: 'speaking',
    asked,
    complete: async (request, { key }) => {
      asked.push(request);
      const say = says[request.role];
      if (say === undefined) throw new Error(`nobody answers ${request.role}`);
      const said = await say(request, key);
      return typeof said === 'string' ? answer(said) : said;
    },
  };
}

/** How many results of tools a conversation holds: what a model that keeps no count goes by. */
export function resultsIn({ messages }: ModelRequest): string[] {
  return messages.flatMap((message) => (message.role === 'tool' ? [message.content] : []));
}

/** Says these turns one after the other, by the turns that the conversation holds already. */
export function inTurn(...turns: (ModelAnswer | string)[]): Say {
  return ({ messages }) => {
    const said = messages.filter(({ role }) => role === 'assistant').length;
    return turns[Math.min(said, turns.length - 1)] ?? 'Nothing more.';
  };
}

/** A look-up of a fixed population. */
export const lookUp: Tool = echoTool('look_up', {
  input: {
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
  },
  run: (args) => ({ city: (args as { city: string }).city, population: 13_960_000 }),
});

/** A task of one agent alone, whose calls are tried again at once and whose result nobody judges. */
export const aloneTask = {
  name: 'alone',
  goal: 'Go.',
  mode: 'agent',
  verify: { judge: 'off' },
  limits: { backoffMs: 1 },
} as const;

/** A run that is one agent. */
export function agentRun(
  says: Readonly<Record<string, Say>>,
  more: { tools?: readonly Tool[]; task?: Partial<TaskInput> } & Omit<
    Partial<EngineRun>,
    'task' | 'tools'
  > = {},
): EngineRun & { readonly provider: Provider & { readonly asked: ModelRequest[] } } {
  const { tools = [lookUp], task: settings, ...rest } = more;
  return {
    tools: [...tools, delegateTool],
    task: { ...task(), mode: 'agent', ...settings },
    ...rest,
    provider: speaking(says),
  };
}

/** A run of one agent that looks something up and hands a part on to a child, which looks something else up. */
export const familyRun = (): EngineRun =>
  agentRun({
    agent: (request) => {
      const isChild = !(request.tools ?? []).some(({ name }) => name === 'delegate');
      if (resultsIn(request).length > 0) return isChild ? 'A part.' : 'Done.';
      return isChild
        ? calling({ name: 'look_up', args: { city: 'Oslo' } })
        : calling(
            { name: 'look_up', args: { city: 'Rome' }, id: 'a' },
            { name: 'delegate', args: { task: 'count them' }, id: 'b' },
          );
    },
  });

/** The events of a run, driven to its end. */
export async function eventsOf(run: EngineRun): Promise<readonly FlightEvent[]> {
  const { driver, events } = engineRun(run);
  await driver.run();
  return events;
}

export { calling };
