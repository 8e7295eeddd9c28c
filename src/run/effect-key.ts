const RESERVED: ReadonlySet<string> = new Set(['plan', 'judge', 'final', 'repair', 'check']);

/** What stands for a node in the keys of its effects: its id, except where that could be read as another key. */
export function nodeKey(id: string): string {
  const isPlain = !RESERVED.has(id) && !id.includes('/') && !id.startsWith('node:');
  return isPlain ? id : `node:${id.replaceAll('%', '%25').replaceAll('/', '%2F')}`;
}

/** Key of one attempt of a node. */
export function attemptKey(node: string, attempt: number): string {
  return `${nodeKey(node)}/${attempt}`;
}

/** Key of the call that repairs the arguments of a node. */
export function repairKey(node: string, ordinal: number): string {
  return `repair/${nodeKey(node)}/${ordinal}`;
}

/** Key of the question that sums memories up. No node has a key of this form: behind its own stands a number. */
export const SUMMARY_KEY = 'memory/summary/1';

/** Key of what is recalled for a model call: again with `#2`, where the call has less room than it had. */
export function recallKey(call: string, ordinal: number): string {
  return tryKey(`memory/${call}`, ordinal);
}

/** Key of one try of a model call: that of the call, with `#2`, `#3` … after the first. */
export function tryKey(call: string, tries: number): string {
  return tries <= 1 ? call : `${call}#${tries}`;
}

/** What a model call is for, read off the first step of its key; calls of tools have any other. */
export type CallPurpose = 'plan' | 'judge' | 'final' | 'repair' | 'summary' | 'ask' | 'agent';

/** What a model call is for, by its key; that of an agent has the form of one that a tool asks. */
export function purposeOf(call: string): CallPurpose {
  if (call === SUMMARY_KEY) return 'summary';
  const first = call.slice(0, call.indexOf('/'));
  switch (first) {
    case 'plan':
    case 'judge':
    case 'final':
    case 'repair':
      return first;
    default:
      return 'ask';
  }
}
