/** How many turns of a model an agent may still take; those of its children count for it too. */
export interface IterationBudget {
  readonly limit: number;
  used: number;
  readonly parent: IterationBudget | null;
}

/** A budget with nothing taken; a child's never reaches beyond what its parent has left. */
export function createIterationBudget(limit: number, parent: IterationBudget | null = null): IterationBudget {
  return { limit, used: 0, parent };
}

/** Turns that are left, here and in every budget above. */
export function iterationsLeft(budget: IterationBudget): number {
  const left = Math.max(0, budget.limit - budget.used);
  return budget.parent === null ? left : Math.min(left, iterationsLeft(budget.parent));
}

/** Takes a turn here and above before it is tried; false, and nothing is taken, where one of them has none left. */
export function takeIteration(budget: IterationBudget): boolean {
  if (iterationsLeft(budget) < 1) return false;
  for (let each: IterationBudget | null = budget; each !== null; each = each.parent) each.used++;
  return true;
}

/** Gives back a turn that was taken and never made. */
export function refundIteration(budget: IterationBudget): void {
  for (let each: IterationBudget | null = budget; each !== null; each = each.parent) {
    each.used = Math.max(0, each.used - 1);
  }
}
