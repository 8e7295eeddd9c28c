import type { PlanProblem } from '../contracts/plan.ts';
import type { Dependencies } from './adjacency.ts';
import type { DraftNode } from './plan-shape.ts';

const MAX_NAMED = 10;

/** One warning for the nodes from which nothing leads to the output; none where each is needed. */
export function findUnused(
  drafts: readonly DraftNode[],
  dependencies: Dependencies,
  outputPosition: number | undefined,
  output: string,
): readonly PlanProblem[] {
  const isNeeded = new Uint8Array(drafts.length);
  const stack = outputPosition === undefined ? [] : [outputPosition];
  for (let position = stack.pop(); position !== undefined; position = stack.pop()) {
    if (isNeeded[position] === 1) continue;
    isNeeded[position] = 1;
    for (const dependency of dependencies[position] ?? []) stack.push(dependency);
  }
  const unused = drafts.filter((_, position) => isNeeded[position] === 0);
  const [first] = unused;
  if (first === undefined) return [];
  const names = unused.slice(0, MAX_NAMED).map(({ id }) => `"${id ?? ''}"`);
  const others = unused.length > names.length ? ` and ${unused.length - names.length} more` : '';
  return [
    {
      code: 'unused_node',
      ...(first.id === null ? {} : { node: first.id }),
      pointer: `/nodes/${first.index}`,
      message: `nothing leads from ${names.join(', ')}${others} to the output "${output}"`,
      hint: 'It runs all the same; refer to it, or leave it out.',
    },
  ];
}
