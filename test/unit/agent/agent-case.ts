/* The cases of test/fixtures/agent, and how they write turns and histories. */
import { readFileSync } from 'node:fs';
import type { Message } from '../../../src/contracts/model.ts';
import type { Json } from '../../../src/kernel/json.ts';

/** A case as the fixture writes it. */
export interface Case {
  readonly name: string;
  readonly turns?: readonly string[];
  readonly history?: readonly string[] | string;
  readonly text?: string;
  readonly answer?: string;
}

/** All of them. */
export const cases = JSON.parse(
  readFileSync(new URL('../../fixtures/agent/agent.json', import.meta.url), 'utf8'),
) as Case[];
/** Names of those that a test took. */
export const tested = new Set<string>();

/** A case by its name, which counts as tested. */
export function take(name: string): Case {
  tested.add(name);
  const found = cases.find((each) => each.name === name);
  if (found === undefined) throw new Error(`there is no case ${name}`);
  return found;
}

/** The calls of a turn as a case writes it: `a{} + b{x:y}`. */
export function callsOf(turn: string): { name: string; args: Json }[] {
  return turn.split(' + ').map((call) => {
    const [, name = '', inner = ''] = /^(\w+)\{(.*?)\}/.exec(call) ?? [];
    const [key = '', value = ''] = inner.split(':').map((part) => part.trim());
    return { name, args: key === '' ? {} : { [key]: /^\d+$/.test(value) ? Number(value) : value } };
  });
}

/** The messages of a history as a case writes it: `assistant(calls A,B)`, `tool A`, `user`. */
export function historyOf(lines: readonly string[]): Message[] {
  return lines.map((line, index): Message => {
    const [, role = '', rest = ''] = /^(\w+)[ (]?(?:calls |id=)?(.*?)\)?$/.exec(line) ?? [];
    if (role === 'tool') return { role, toolCallId: rest, content: `result ${rest}` };
    if (role === 'assistant' && rest !== '') {
      return {
        role,
        content: '',
        toolCalls: rest.split(',').map((id) => ({ id, name: 'search', args: {} })),
      };
    }
    return { role: role as 'user' | 'system' | 'assistant', content: `${role} ${index}` };
  });
}

/** A message as text, to look into. */
export function contentOf(message: Message | undefined): string {
  return message === undefined ? '' : JSON.stringify(message);
}
