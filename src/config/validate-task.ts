import { agentTaskSchema } from '../contracts/agent-task.ts';
import type { Task } from '../contracts/task.ts';
import { taskSchema } from '../contracts/task.ts';
import type { Json, JsonObject } from '../kernel/json.ts';
import { isJsonObject } from '../kernel/json.ts';
import { findCheckProblems } from './check-findings.ts';
import { findPatternProblems } from './check-patterns.ts';
import type { TaskFinding, TaskPath } from './problem.ts';
import { describeIssues, valueAtPath } from './schema-findings.ts';
import { expandCheck, expandTemplate, templateNames } from './template.ts';

/** A task that holds, its checks and rubric filled in; `task.goal` is as written, `goal` is filled in. */
export interface AcceptedTask {
  readonly task: Task;
  readonly goal: string;
}

interface Validation {
  readonly accepted: AcceptedTask | null;
  /** The task with its checks and rubric filled in, right or wrong. */
  readonly filled: JsonObject;
  readonly findings: readonly TaskFinding[];
}

/**
 * The task that data holds, or everything wrong with it. What lies at or below a path that the reader of the text
 * refused already is not reported again.
 */
export function validateTask(written: JsonObject, refusedPaths: readonly TaskPath[]): Validation {
  const declared = written['inputs'] ?? {};
  const inputs = isJsonObject(declared) ? declared : null;
  const templates = inputs === null ? { written, findings: [] } : expandVerify(written, inputs);
  const candidate = templates.written;
  const parsed = taskSchema.safeParse(candidate, { jitless: true });
  const findings = findCheckListProblems(candidate, inputs !== null);
  if (parsed.error !== undefined) {
    const ofSchema = describeIssues(taskSchema, parsed.error, candidate);
    findings.push(...ofSchema.filter(({ path }) => !isCheckPath(path)));
  }
  findings.push(...findToolProblems(candidate));
  findings.push(...findThresholdProblems(candidate['budget']));
  findings.push(...findWindowProblems(candidate), ...findPatternProblems(candidate));
  const goal = fillGoal(written['goal'], inputs, findings);
  const reported = [...refusedPaths, ...templates.findings.map(({ path }) => path)];
  const isReported = ({ path }: TaskFinding): boolean => reported.some((start) => startsWith(path, start));
  return {
    accepted:
      parsed.success && findings.length + templates.findings.length === 0
        ? { task: parsed.data, goal }
        : null,
    filled: candidate,
    findings: [...templates.findings, ...findings.filter((finding) => !isReported(finding))],
  };
}

/** The task with the templates of its checks and rubric filled in. */
function expandVerify(
  written: JsonObject,
  inputs: JsonObject,
): { written: JsonObject; findings: TaskFinding[] } {
  const verify = written['verify'];
  const findings: TaskFinding[] = [];
  if (!isJsonObject(verify)) return { written, findings };
  const expanded: Record<string, Json> = { ...verify };
  const { checks, rubric } = verify;
  if (Array.isArray(checks)) {
    expanded['checks'] = checks.map((check: Json, index) => {
      const result = expandCheck(check, inputs, ['verify', 'checks', index]);
      findings.push(...result.findings);
      return result.value;
    });
  }
  if (typeof rubric === 'string') {
    const { text, faults } = expandTemplate(rubric, inputs);
    expanded['rubric'] = text;
    for (const fault of faults) findings.push({ path: ['verify', 'rubric'], at: 'value', ...fault });
  }
  return { written: { ...written, verify: expanded }, findings };
}

/** The problems of all checks; those whose templates could not be filled in are left for when the inputs hold. */
function findCheckListProblems(candidate: JsonObject, isFilled: boolean): TaskFinding[] {
  const checks = valueAtPath(candidate, ['verify', 'checks']);
  if (!Array.isArray(checks)) return [];
  return checks.flatMap((check: Json, index) =>
    isFilled || templateNames(check).length === 0
      ? findCheckProblems(check, ['verify', 'checks', index])
      : [],
  );
}

function isCheckPath(path: TaskPath): boolean {
  return path.length > 2 && path[0] === 'verify' && path[1] === 'checks';
}

/** A task has tools of its own, or servers that have some. */
function findToolProblems({ tools, mcp }: JsonObject): TaskFinding[] {
  if (isJsonObject(mcp) && Object.keys(mcp).length > 0) return [];
  const finding = { path: ['tools'], at: 'value' } as const;
  if (tools === undefined) return [{ ...finding, message: 'is missing', hint: 'expected a list' }];
  if (!Array.isArray(tools) || tools.length > 0) return [];
  return [{ ...finding, message: 'expected a list of at least 1 item, got an empty list' }];
}

function findThresholdProblems(written: Json | undefined): TaskFinding[] {
  const budget = taskSchema.shape.budget.safeParse(written).data;
  if (budget === undefined || budget.economyAt <= budget.minimalAt) return [];
  const key = isJsonObject(written) && 'minimalAt' in written ? 'minimalAt' : 'economyAt';
  const message = `economyAt (${budget.economyAt}) is above minimalAt (${budget.minimalAt})`;
  return [{ path: ['budget', key], at: 'value', message }];
}

/** What an agent is told and asked takes so many tokens at least. */
const LEAST_PROMPT_TOKENS = 1500;

/** A window has to hold what the model may answer, what is recalled, and a prompt beside them. */
function findWindowProblems({ mode, agent, limits }: JsonObject): TaskFinding[] {
  if (agent === undefined && mode !== 'agent') return [];
  const section = agentTaskSchema.safeParse(agent ?? {}, { jitless: true }).data;
  const { maxOutputTokens } = taskSchema.shape.limits.safeParse(limits, { jitless: true }).data ?? {};
  if (section === undefined || maxOutputTokens === undefined) return [];
  const least = maxOutputTokens + section.recallChars + LEAST_PROMPT_TOKENS;
  const find = (path: TaskPath, tokens: number): TaskFinding[] =>
    tokens >= least
      ? []
      : [
          {
            ...{ path, at: 'value', message: `expected at least ${least} tokens, got ${tokens}` },
            hint: `limits.maxOutputTokens (${maxOutputTokens}) and agent.recallChars (${section.recallChars}) are taken off it`,
          },
        ];
  return [
    ...find(['agent', 'windowTokens'], section.windowTokens),
    ...Object.entries(section.windows).flatMap(([model, tokens]) =>
      find(['agent', 'windows', model], tokens),
    ),
  ];
}

/** The goal with its inputs; what keeps it from being filled in is added to `findings`. */
function fillGoal(goal: Json | undefined, inputs: JsonObject | null, findings: TaskFinding[]): string {
  if (typeof goal !== 'string' || goal === '' || inputs === null) return '';
  const { text, faults } = expandTemplate(goal, inputs);
  for (const fault of faults) findings.push({ path: ['goal'], at: 'value', ...fault });
  if (text.trim() === '')
    findings.push({ path: ['goal'], at: 'value', message: 'says nothing, once filled in' });
  return text;
}

function startsWith(path: TaskPath, start: TaskPath): boolean {
  return start.every((step, index) => String(step) === String(path[index]));
}
