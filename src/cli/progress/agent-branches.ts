import type { AgentAtWork } from '../../views/agents-at-work.ts';
import { STATE_SIGNS } from '../../views/page/shown-state.ts';
import type { Style } from '../../views/style.ts';
import { toOneLine } from '../../views/text-width.ts';
import type { Part } from './parts.ts';

interface CallBranch {
  readonly parts: readonly Part[];
  readonly below: readonly CallBranch[];
}

/** Where an agent stands, behind the name of what it works for. */
export function agentNote({ round, rounds, isWritingUp }: AgentAtWork, style: Style): Part {
  return [
    isWritingUp ? ' · writes up what it has' : round === 0 ? '' : ` · round ${round} of ${rounds}`,
    style.cyan,
  ];
}

/** The calls of an agent that have not ended, those of its children below them. */
export function agentBranches(
  { calls }: AgentAtWork,
  context: { readonly style: Style; readonly spinner: string },
): CallBranch[] {
  const { style, spinner } = context;
  return calls.map(({ tool, state, child }) => {
    const sign = state === 'running' ? spinner : STATE_SIGNS[state];
    const paint = state === 'running' ? style.cyan : state === 'pending' ? style.dim : style.yellow;
    const note: Part[] = state === 'waiting' ? [[' waits for a person', style.yellow]] : [];
    return {
      parts: [
        [`${sign} `, paint],
        [toOneLine(tool)],
        ...note,
        ...(child === null ? [] : [agentNote(child, style)]),
      ],
      below: child === null ? [] : agentBranches(child, context),
    };
  });
}
