/* What policy says of the arguments of one call, by what the tool says that they name. Pure: it looks at texts alone. */
import { isJsonObject, type Json } from '../../kernel/json.ts';
import type { Policy } from '../policy.ts';
import type { ArgumentKind, PermitsTarget, ToolSpec } from '../tool.ts';
import { commandDangers, commandRefusal } from './command-dangers.ts';
import { isPermittedHost } from './permitted-host.ts';
import { isPermittedPath } from './permitted-path.ts';

/** The part of a policy that looks at arguments. */
export type ArgumentPolicy = Pick<Policy, 'paths' | 'hosts' | 'commands' | 'dangerous'>;

/** One text among the arguments that names something outside of the run. */
export interface NamedTarget {
  readonly argument: string;
  readonly kind: ArgumentKind;
  readonly text: string;
}

/** A finding about one argument. */
export interface ArgumentFinding {
  readonly argument: string;
  readonly reason: string;
}

/** Whether policy has anything to say of arguments. */
export function judgesArguments({ paths, hosts, commands, dangerous }: ArgumentPolicy): boolean {
  return (
    paths !== undefined || hosts !== undefined || commands !== undefined || (dangerous ?? 'allow') !== 'allow'
  );
}

/** Whether arguments are as a plan has them, where objects may be references, or as a call has them, where all is data. */
export type ArgumentForm = 'planned' | 'resolved';

/** Every text in the arguments that the tool says a kind of; those that a reference will give are left out. */
export function namedTargets(
  tool: Pick<ToolSpec, 'argumentKinds'>,
  args: Json,
  form: ArgumentForm = 'planned',
): NamedTarget[] {
  if (tool.argumentKinds === undefined || !isJsonObject(args)) return [];
  const texts = form === 'planned' ? textsIn : allTextsIn;
  return Object.entries(tool.argumentKinds).flatMap(([argument, kind]) =>
    texts(Object.hasOwn(args, argument) ? (args[argument] as Json) : null).map((text) => ({
      argument,
      kind,
      text,
    })),
  );
}

function allTextsIn(value: Json): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(allTextsIn) : [];
}

function textsIn(value: Json): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return (value as readonly Json[]).flatMap(textsIn);
  if (isJsonObject(value) && Object.hasOwn(value, '$literal')) return textsIn(value['$literal'] as Json);
  return [];
}

/** Why policy refuses a call, for each argument that it refuses. */
export function refusedArguments(
  tool: Pick<ToolSpec, 'argumentKinds'>,
  args: Json,
  policy: ArgumentPolicy,
  workspace: string,
  form?: ArgumentForm,
): ArgumentFinding[] {
  return namedTargets(tool, args, form).flatMap(({ argument, kind, text }) => {
    const reason = refusalOf(kind, text, policy, workspace);
    return reason === null ? [] : [{ argument, reason }];
  });
}

function refusalOf(
  kind: ArgumentKind,
  text: string,
  policy: ArgumentPolicy,
  workspace: string,
): string | null {
  const { paths, hosts, commands } = policy;
  switch (kind) {
    case 'path':
      return paths === undefined || isPermittedPath(text, paths, workspace)
        ? null
        : `policy.paths does not permit ${JSON.stringify(text)}`;
    case 'url':
    case 'host':
      return hosts === undefined || isPermittedHost(text, hosts)
        ? null
        : `policy.hosts does not permit ${JSON.stringify(text)}`;
    case 'command': {
      const refusal = commands === undefined ? null : commandRefusal(text, commands);
      if (refusal !== null) return `policy.commands: ${refusal}`;
      if (policy.dangerous !== 'deny') return null;
      const [danger] = commandDangers(text, commands?.trusted);
      return danger === undefined ? null : `policy.dangerous denies a command: ${danger}`;
    }
    case 'code':
    case 'recipient':
      return null;
  }
}

/** Why commands among the arguments are to be asked about. */
export function dangerousArguments(
  tool: Pick<ToolSpec, 'argumentKinds'>,
  args: Json,
  { commands, dangerous }: ArgumentPolicy,
  form?: ArgumentForm,
): ArgumentFinding[] {
  if (dangerous !== 'ask') return [];
  return namedTargets(tool, args, form).flatMap(({ argument, kind, text }) =>
    kind === 'command' ? commandDangers(text, commands?.trusted).map((reason) => ({ argument, reason })) : [],
  );
}

/** Answers tools whether what an argument leads on to is permitted; undefined where policy says nothing of that. */
export function permitsOf({ paths, hosts }: ArgumentPolicy): PermitsTarget | undefined {
  if (paths === undefined && hosts === undefined) return undefined;
  return (kind, target) => {
    if (kind === 'path') return paths === undefined || isPermittedPath(target, paths);
    return hosts === undefined || isPermittedHost(target, hosts);
  };
}
