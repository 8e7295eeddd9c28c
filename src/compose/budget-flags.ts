import { applyOverrides, readOverrides } from '../config/overrides.ts';
import { taskInvalid } from '../config/problem.ts';
import { type Task, taskSchema } from '../contracts/task.ts';
import { OrchestratorError } from '../kernel/errors.ts';
import type { Json } from '../kernel/json.ts';

/** The budget of a task under flags such as `budget.tokens`; throws `usage` for any other flag, `task_invalid` for a bad value. */
export function budgetWith(
  task: Task,
  flags: Readonly<Record<string, string | readonly string[]>>,
): Task['budget'] {
  const others = Object.keys(flags).filter((name) => !name.startsWith('budget.'));
  if (others.length > 0) {
    throw new OrchestratorError('usage', `--${others.join(', --')}: a recorded run keeps its task`, {
      hint: 'Only the limits of its budget can change, such as --budget.tokens=100000.',
    });
  }
  const written = { budget: task.budget } as unknown as Json;
  const { overrides, problems } = readOverrides({ flags }, written);
  if (problems.length > 0) throw taskInvalid(problems);
  const changed = applyOverrides(written, overrides) as unknown as { budget: unknown };
  const parsed = taskSchema.shape.budget.safeParse(changed.budget);
  if (parsed.success) return parsed.data;
  throw taskInvalid(
    parsed.error.issues.map(({ path, message }) => {
      const name = ['budget', ...path].join('.');
      return { override: `--${name}`, path: name, message };
    }),
  );
}
