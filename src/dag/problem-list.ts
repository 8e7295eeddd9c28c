import type { PlanProblem } from '../contracts/plan.ts';
import { toPointer } from '../kernel/json.ts';

/** The problems of a plan as they are found. */
export class ProblemList {
  readonly problems: PlanProblem[] = [];

  /** Adds a problem of the plan, or of a node by its whole pointer. */
  add(
    code: PlanProblem['code'],
    pointer: string,
    message: string,
    hint?: string,
    node?: string,
  ): PlanProblem {
    const problem: PlanProblem = {
      code,
      ...(node === undefined ? {} : { node }),
      pointer,
      message,
      ...(hint === undefined ? {} : { hint }),
    };
    this.problems.push(problem);
    return problem;
  }

  /** Adds a problem of the node at a position, by a pointer within that node. */
  addAt(
    code: PlanProblem['code'],
    index: number,
    node: string | null | undefined,
    pointer: string,
    message: string,
    hint?: string,
  ): PlanProblem {
    return this.add(code, `/nodes/${index}${pointer}`, message, hint, node ?? undefined);
  }

  /** Adds a problem of a member by its key, whatever characters that has. */
  addMember(
    code: PlanProblem['code'],
    owner: string,
    key: string,
    message: string,
    hint?: string,
    node?: string,
  ): PlanProblem {
    return this.add(code, owner + toPointer([key]), message, hint, node);
  }

  has(...codes: readonly PlanProblem['code'][]): boolean {
    return this.problems.some(({ code }) => codes.includes(code));
  }
}
