import type { Episode } from '../contracts/memory.ts';
import type { ToolCall } from '../contracts/model.ts';
import type { PlanNode } from '../contracts/plan.ts';
import { isJsonObject, type Json, type JsonObject } from '../kernel/json.ts';
import { isEvent, type RunEvent } from './run-events.ts';

/** What is noted of the calls that agents make; a call has its key for an id. */
export interface AgentCallNotes {
  readonly nodes: Map<string, PlanNode>;
  readonly results: Map<string, { readonly value: Json; readonly at: number }>;
  /** What agents were last answered, by agent. */
  readonly answers: Map<string, readonly ToolCall[]>;
  /** The calls whose last attempt failed. */
  readonly failedCalls: Map<string, Episode['failures'][number]>;
}

/** Notes an event of an agent's calls: what they were asked, what they returned, what they failed of. */
export function noteAgentCall(
  notes: AgentCallNotes,
  event: RunEvent,
  describeFailure: (message: string) => string,
): void {
  if (isEvent(event, 'model.answered')) {
    notes.answers.set(event.key.replace(/\/\d+(?:#\d+)?$/, ''), event.answer.toolCalls ?? []);
  } else if (isEvent(event, 'turn.read')) {
    const asked = notes.answers.get(event.agent) ?? [];
    for (const [index, { key, tool }] of event.calls.entries()) {
      const args = asked[index]?.name === tool ? asked[index].args : null;
      noteCall(notes, key, tool, isJsonObject(args) ? args : {});
    }
  } else if (isEvent(event, 'call.started')) {
    if (!notes.nodes.has(event.key)) noteCall(notes, event.key, event.tool, {});
  } else if (isEvent(event, 'call.amended')) {
    noteCall(notes, event.key, notes.nodes.get(event.key)?.tool ?? '', event.args);
  } else if (isEvent(event, 'call.returned')) {
    notes.results.set(event.key, event);
    notes.failedCalls.delete(event.key);
  } else if (isEvent(event, 'call.failed')) {
    const { key, failure } = event;
    const tool = notes.nodes.get(key)?.tool ?? '';
    const { code } = failure;
    notes.failedCalls.set(key, { node: key, tool, code, message: describeFailure(failure.message) });
  }
}

function noteCall({ nodes }: AgentCallNotes, key: string, tool: string, args: JsonObject): void {
  nodes.set(key, { id: key, tool, args, deps: [] });
}
