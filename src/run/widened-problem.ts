import type { PlanProblem } from '../contracts/plan.ts';
import type { Widening } from './plan-reach.ts';

/** What a planner is told of a plan that reaches further than it may. */
export function widenedProblem({ tools, targets, irreversible }: Widening): PlanProblem {
  const added = [
    ...(tools.length > 0 ? [`the tools ${tools.join(', ')}`] : []),
    ...(targets.length > 0 ? [`the targets ${targets.join(', ')}`] : []),
    ...(irreversible.length > 0 ? [`the irreversible calls of ${irreversible.join(', ')}`] : []),
  ];
  return {
    code: 'widened_plan',
    pointer: '/nodes',
    message: `it reaches further than the plan before: ${added.join('; ')}`,
    hint: 'Keep to the tools and targets of the plan before.',
  };
}
