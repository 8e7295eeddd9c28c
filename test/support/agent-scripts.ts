/* Agents that do a bit of everything. What their model says follows from its request, so that a crash changes nothing. */
import { setTimeout as delay } from 'node:timers/promises';
import type { ModelAnswer, ModelRequest } from '../../src/contracts/model.ts';
import type { Provider } from '../../src/contracts/ports.ts';
import type { Tool } from '../../src/contracts/tool.ts';
import { type TaskValue, ToolError } from '../../src/index.ts';
import { OrchestratorError } from '../../src/kernel/errors.ts';
import type { Json } from '../../src/kernel/json.ts';
import { calling } from './agent-world.ts';
import { answer, echoTool, node, plan } from './core.ts';

const LONG = ' It goes on like that.'.repeat(60);

/** Gives `step N` and a long text, and fails where it is told to. */
export const look: Tool = echoTool('look', {
  input: {
    type: 'object',
    properties: { step: { type: 'integer' }, fails: { enum: ['TRANSIENT', 'PERMANENT'] } },
    required: ['step'],
    additionalProperties: false,
  },
  run: async (args, { log }) => {
    await delay(1);
    const { step, fails } = args as { step: number; fails?: 'TRANSIENT' | 'PERMANENT' };
    if (fails !== undefined) throw new ToolError(fails, `step ${step} cannot be had`);
    if (step === 1) log('looked for the first time');
    return `step ${step} done.${LONG}`;
  },
});

/** The last step that a conversation shows. */
function stepOf({ messages }: ModelRequest): number {
  const steps = messages.flatMap((message) =>
    message.role === 'tool' ? [...message.content.matchAll(/step (\d+)/g)].map(([, n]) => Number(n)) : [],
  );
  return Math.max(0, ...steps);
}

function turn(step: number, ...calls: { name: string; args: Json }[]): ModelAnswer {
  const text = `Now step ${step}.${LONG}`;
  return { ...calling({ name: 'look', args: { step } }, ...calls), text };
}

const TURNS: Readonly<Record<string, readonly ((step: number) => ModelAnswer | string)[]>> = {
  'Do the work.': [
    (step) =>
      turn(
        step,
        { name: 'look', args: { step: 1, fails: 'TRANSIENT' } },
        { name: 'look', args: { step: 1, fails: 'PERMANENT' } },
        { name: 'nothing', args: {} },
      ),
    (step) =>
      turn(step, {
        name: 'todo',
        args: { todos: [{ id: 'a', content: 'finish the work', status: 'in_progress' }] },
      }),
    (step) => turn(step, { name: 'delegate', args: { task: 'Do a part.', tools: ['look'] } }),
    (step) => turn(step, { name: 'send', args: { value: 'once' } }),
    (step) => turn(step, { name: 'memory', args: { action: 'add', content: 'the work was done' } }),
    () => 'Lima: the work is done.',
  ],
  'Do a part.': [(step) => turn(step), () => 'A part is done.'],
  // Its history cannot be summed up, and it goes round in a circle.
  'Be dull.': [1, 2, 3, 4, 5, 6].map((each) => (step: number) => turn(Math.min(step, Math.min(each, 4)))),
};

function say(request: ModelRequest): ModelAnswer | string {
  const told = request.messages.find(
    ({ role, content }) => role === 'user' && typeof content === 'string' && contentTask(content) !== null,
  );
  const turns = TURNS[contentTask(told?.content) ?? ''] ?? [];
  const step = stepOf(request);
  return turns[Math.min(step, turns.length - 1)]?.(step + 1) ?? 'Nothing.';
}

function contentTask(content: unknown): string | null {
  return Object.keys(TURNS).find((task) => typeof content === 'string' && content.startsWith(task)) ?? null;
}

/** A model of those agents, their planner and whoever else is asked. */
export const laborious: Provider = {
  name: 'laborious',
  complete: async (request) => {
    await delay(1);
    switch (request.role) {
      case 'planner':
        return answer(
          JSON.stringify(
            plan(
              node('work', { tool: 'delegate', args: { task: 'Do the work.' } }),
              node('dull', { tool: 'delegate', args: { task: 'Be dull.', tools: ['look'] }, optional: true }),
              node('report', { args: { value: [{ $ref: 'work' }, { $ref: 'dull' }] } }),
            ),
          ),
        );
      case 'agent': {
        const said = say(request);
        return typeof said === 'string' ? answer(said) : said;
      }
      case 'evaluator':
        return answer('{"completion": 0.4}');
      case 'summarizer':
        return answer(JSON.stringify(request).includes('cannot be had') ? 'The first steps are done.' : '');
      case 'finalizer':
        return answer('Something was found.');
      default:
        throw new OrchestratorError('model_unscripted', request.role);
    }
  },
};

/** A plan of two delegations, of which one has to be summed up and one never ends by itself. */
export const laboriousTask: TaskValue = {
  ...{ name: 'laborious', goal: 'Get the work done.', concurrency: 2 },
  limits: { backoffMs: 1, maxOutputTokens: 512 },
  agent: {
    ...{ windowTokens: 6000, keepFirst: 1, keepLast: 3, rounds: 8, compressAt: 0.5, recallChars: 200 },
  },
  verify: { judge: 'off', checks: [{ includes: 'Lima' }] },
};
