import { z } from 'zod';
import { type AgentSettings, agentSettingsSchema } from './agent.ts';

const positive = z.int().positive();

/** The context window of a model of which a task says nothing, in tokens. */
export const UNNAMED_WINDOW_TOKENS = 32_768;

/** How a task goes to work: by a plan that is drawn first, or by one agent that thinks for itself. */
export const taskModeSchema = z
  .enum(['plan', 'agent'])
  .default('plan')
  .meta({ description: 'Whether a plan is drawn first, or one agent does the whole task in rounds.' });

/** What follows where the tool of a node has failed for good. */
export const onToolFailureSchema = z.enum(['report', 'replan', 'code']).default('replan').meta({
  description:
    'What follows where the tool of a node has failed for good: report ends the run, replan draws the rest anew, code lets an agent do the step with run_javascript first.',
});

/** The section `agent` of a task: what its agents are given beside their settings. */
export const agentTaskSchema = z.strictObject({
  ...agentSettingsSchema.shape,
  tools: z.array(z.string()).optional().meta({ description: 'Only these tools of the task are an agent’s.' }),
  identity: z
    .string()
    .min(1)
    .optional()
    .meta({ description: 'Who the agent is; a default where not given.' }),
  windowTokens: positive
    .default(UNNAMED_WINDOW_TOKENS)
    .meta({ description: 'Context window of a model that is not named in `windows`.' }),
  windows: z
    .record(z.string(), positive)
    .default({})
    .meta({ description: 'Context window in tokens by model.' }),
});

/** The section `agent` of a task, defaults filled in. */
export type AgentTask = z.output<typeof agentTaskSchema>;

/** The settings of agents that a section holds; all defaults where there is none. */
export function settingsOf(section: AgentTask | undefined): AgentSettings {
  if (section === undefined) return agentSettingsSchema.parse({});
  const names = Object.keys(agentSettingsSchema.shape) as (keyof typeof agentSettingsSchema.shape)[];
  return agentSettingsSchema.parse(Object.fromEntries(names.map((name) => [name, section[name]])));
}
