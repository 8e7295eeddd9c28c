import { OrchestratorError } from '../kernel/errors.ts';

/** Throws `usage` where a program that is not type-checked gives no task, or a plan that is no text. */
export function checkOptions(options: unknown): void {
  const { task, plan } = (options ?? {}) as { readonly task?: unknown; readonly plan?: unknown };
  if (typeof task !== 'string' && (typeof task !== 'object' || task === null)) {
    throw new OrchestratorError(
      'usage',
      `task: expected the path of a task file, or a task, got ${nameOf(task)}`,
      {
        hint: "Such as orchestrate({ task: 'task.yaml' }).",
      },
    );
  }
  if (plan !== undefined && typeof plan !== 'string') {
    throw new OrchestratorError('usage', `plan: expected the text of a plan, got ${nameOf(plan)}`, {
      hint: 'Such as JSON.stringify(plan).',
    });
  }
}

function nameOf(value: unknown): string {
  if (value === undefined) return 'nothing';
  return Array.isArray(value) ? 'a list' : value === null ? 'null' : `a value of type ${typeof value}`;
}
