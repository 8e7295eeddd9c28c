import { z } from 'zod';
import type { Tool } from '../contracts/tool.ts';
import { OrchestratorError } from '../kernel/errors.ts';
import type { Json } from '../kernel/json.ts';
import { defineTool } from '../tools/define-tool.ts';
import type { AgentCallbacks } from './agent-callbacks.ts';
import type { DriveOptions } from './run-options.ts';

/** What was found in an earlier session. */
export interface SessionHit {
  readonly session: string;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly role: 'user' | 'assistant';
  readonly text: string;
}

/** Something that was said, as a search of the index finds it. */
export interface FoundMessage extends SessionHit {
  /** Key of its exchange. */
  readonly exchange: string;
}

/** Looks for words in what was said in other sessions, the best or newest hit first. */
export type SearchSessions = (query: string, limit: number) => Promise<readonly SessionHit[]>;

/** The tool with which an agent asks the person: a question in the log, whose answer is its result. */
export const clarifyTool: Tool = defineTool({
  name: 'clarify',
  description: 'Asks the person one question, with choices where there are some, and waits for the answer.',
  input: z.strictObject({
    question: z.string().min(1),
    choices: z.array(z.string().min(1)).max(10).optional(),
  }),
  output: z.string(),
  costHint: 1,
  effect: 'read',
  interactive: true,
  run: () => {
    throw new OrchestratorError('internal', 'a question to a person is no call');
  },
});

/** Answers the questions of `clarify` by a callback, and leaves all others to whoever answers them. */
export function clarifying(
  onClarify: NonNullable<AgentCallbacks['onClarify']>,
  others: DriveOptions['approve'],
  by: string,
): NonNullable<DriveOptions['approve']> {
  return async (question) => {
    if (question.tool === clarifyTool.spec.name && question.question === 'answer') {
      const { args, signal } = question;
      return { decision: 'done', by, value: await onClarify({ ...asQuestion(args), signal }) };
    }
    if (others !== undefined) return others(question);
    return { decision: 'denied', by: 'nobody', reason: 'nobody is there to consent' };
  };
}

const questionSchema = z.object({ question: z.string(), choices: z.array(z.string()).default([]) });

function asQuestion(args: Json): { readonly question: string; readonly choices: readonly string[] } {
  return questionSchema.parse(args);
}

/** The tool with which an agent looks for what was said in earlier sessions. */
export function sessionSearchTool(search: SearchSessions): Tool {
  return defineTool({
    name: 'session_search',
    description: 'Looks for words in what was said in earlier sessions.',
    input: z.strictObject({
      query: z.string().min(1),
      limit: z.int().positive().max(20).optional(),
    }),
    costHint: 1,
    effect: 'read',
    run: async ({ query, limit = 5 }) =>
      (await search(query, limit)).map(({ session, at, role, text }) => ({
        ...{ session, role, text },
        at: new Date(at).toISOString(),
      })),
  });
}
