import type { Message } from '../../src/contracts/model.ts';

/** Every way in which a request breaks what the strictest provider takes; written without a look at the repair. */
export function chatFaults(messages: readonly Message[]): string[] {
  const faults: string[] = [];
  const ids = new Set<string>();
  let owed: string[] = [];
  for (const [index, message] of messages.entries()) {
    const at = `message ${index}`;
    const before = messages[index - 1];
    if (message.role !== 'tool' && owed.length > 0) {
      faults.push(`${at}: results of ${owed.join(', ')} are missing before it`);
      owed = [];
    }
    switch (message.role) {
      case 'system':
        if (index > 0) faults.push(`${at}: a system message that is not the first`);
        break;
      case 'user':
        if (before?.role === 'user') faults.push(`${at}: two users in a row`);
        if (message.content.length === 0) faults.push(`${at}: an empty user`);
        break;
      case 'assistant':
        if (before === undefined || before.role === 'system') faults.push(`${at}: begins with the assistant`);
        if (before?.role === 'assistant') faults.push(`${at}: two assistants in a row`);
        if (message.toolCalls?.length === 0) faults.push(`${at}: an empty list of calls`);
        if (message.content === '' && message.toolCalls === undefined && message.reasoning === undefined) {
          faults.push(`${at}: an empty assistant`);
        }
        for (const { id, args } of message.toolCalls ?? []) {
          if (ids.has(id)) faults.push(`${at}: the id ${id} stands twice`);
          ids.add(id);
          if (typeof args !== 'object' || args === null || Array.isArray(args)) {
            faults.push(`${at}: arguments that are no object`);
          }
        }
        owed = (message.toolCalls ?? []).map(({ id }) => id);
        break;
      case 'tool':
        if (owed[0] === message.toolCallId) owed.shift();
        else faults.push(`${at}: the result of ${message.toolCallId}, where ${owed[0] ?? 'none'} is due`);
        if (message.content === '') faults.push(`${at}: an empty result`);
    }
  }
  if (owed.length > 0) faults.push(`results of ${owed.join(', ')} are missing at the end`);
  return faults;
}
