import type { Policy } from '../contracts/policy.ts';
import { hostOf } from '../contracts/policy/permitted-host.ts';
import type { ToolSpec } from '../contracts/tool.ts';
import { didYouMean } from '../kernel/did-you-mean.ts';

/** Which tools a task may call. */
export type ToolPolicy = Pick<Policy, 'allow' | 'deny' | 'effects'>;

/** The part of a policy whose names can be wrong. */
type NamedPolicy = ToolPolicy & Pick<Policy, 'hosts'>;

/** A name in a policy that no tool has: its path in the task, what is wrong and what may have been meant. */
export interface PolicyProblem {
  readonly path: readonly (string | number)[];
  /** The name, where it is that of a tool. */
  readonly tool?: string;
  readonly message: string;
  readonly hint?: string;
}

/** True where policy grants the tool; `deny` overrides `allow`. */
export function isGranted(spec: Pick<ToolSpec, 'name' | 'effect'>, policy: ToolPolicy): boolean {
  if (policy.deny.includes(spec.name)) return false;
  if (policy.allow !== undefined && !policy.allow.includes(spec.name)) return false;
  return policy.effects.includes(spec.effect);
}

/** Every name in `allow` and `deny` that is no tool, and every host that is none: such a denial would grant what it means to deny. */
export function policyProblems(policy: NamedPolicy, toolNames: readonly string[]): PolicyProblem[] {
  const check = (list: 'allow' | 'deny') =>
    (policy[list] ?? []).flatMap((name, index): PolicyProblem[] => {
      if (toolNames.includes(name)) return [];
      const near = didYouMean(name, toolNames);
      return [
        {
          path: ['policy', list, index],
          tool: name,
          message: `no tool is called "${name}"`,
          ...(near === null ? {} : { hint: `did you mean ${near}?` }),
        },
      ];
    });
  return [...check('allow'), ...check('deny'), ...hostProblems(policy)];
}

function hostProblems({ hosts }: NamedPolicy): PolicyProblem[] {
  return (['allow', 'deny'] as const).flatMap((list) =>
    (hosts?.[list] ?? []).flatMap((pattern, index): PolicyProblem[] => {
      const name = pattern.replace(/^\*\.(?=.)/, '');
      if (pattern === '*' || isHostName(name)) return [];
      return [
        {
          path: ['policy', 'hosts', list, index],
          message: `${JSON.stringify(pattern)} is no host`,
          hint: 'Write a name (example.com), *.example.com for what is below it, or * for any; no scheme, port or path.',
        },
      ];
    }),
  );
}

/** Whether it is a host alone: what has a port, or an empty part, would be compared with hosts that have none. */
function isHostName(name: string): boolean {
  const host = hostOf(name);
  if (host === null || /[*/@?#%]/.test(name)) return false;
  if (host.startsWith('[')) return name.endsWith(']');
  return !name.includes(':') && /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/.test(host);
}
