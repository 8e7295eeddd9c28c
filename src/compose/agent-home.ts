import { listSteps } from '../agent/list-steps.ts';
import type { AgentState } from '../agent/agent-state.ts';
import type { NotesChange } from '../contracts/agent.ts';
import { settingsOf } from '../contracts/agent-task.ts';
import { toFailure } from '../contracts/failure.ts';
import type { MemoryRecord } from '../contracts/memory.ts';
import type { AgentPorts } from '../engine/ports.ts';
import type { FlightEvent } from '../flight/events.ts';
import { cutText } from '../kernel/cut-text.ts';
import { hashJson } from '../kernel/hash.ts';
import { keyFigures } from '../memory/key-figures.ts';
import { maskSecrets } from '../memory/mask-secrets.ts';
import type { RunState } from '../run/state.ts';
import { AgentNotes } from './agent-notes.ts';
import { readContextFiles } from './context-files.ts';
import type { Prepared } from './prepare.ts';
import type { FollowingMemory } from './run-memory.ts';
import type { DriveOptions } from './run-options.ts';

const TEXT_CHARS = 1200;

/** The last calls of an exchange that are remembered with it, and how much of what each came to. */
const MOST_CALLS = 10;
const RESULT_CHARS = 200;

/** What stands behind the agents of a run: context files, their notes, and the memory of the runs. */
export class AgentHome implements AgentPorts {
  readonly #prepared: Prepared;
  readonly #notes: AgentNotes;
  readonly #memory: FollowingMemory | null;
  #writing: Promise<void> = Promise.resolve();
  readonly #keeping: Promise<unknown>[] = [];
  readonly #troubles = new Set<string>();

  constructor(prepared: Prepared, options: DriveOptions, memory: FollowingMemory | null) {
    this.#prepared = prepared;
    this.#notes = new AgentNotes(prepared.task, prepared.folder, options);
    this.#memory = memory;
  }

  async brief(): Promise<{ identity?: string; memory: string[]; files: { name: string; text: string }[] }> {
    const { task, folder } = this.#prepared;
    const { memoryChars, contextFileChars } = settingsOf(task.agent);
    const identity = task.agent?.identity;
    const memory = memoryChars === 0 ? [] : [...(await this.#notes.read())];
    const files = await readContextFiles(folder, contextFileChars);
    return { ...(identity === undefined ? {} : { identity }), memory, files };
  }

  /** One after the other, so that the last of two changes stays. */
  keepMemory({ before, after }: NotesChange): Promise<void> {
    const change = { before: before.map(maskSecrets), after: after.map(maskSecrets) };
    const written = this.#writing.then(() => this.#notes.change(change));
    this.#writing = written.catch(() => undefined);
    return written;
  }

  async keepFigures(texts: readonly string[], { runId, now }: RunState): Promise<number> {
    const records = texts.map(maskSecrets).flatMap((text): MemoryRecord[] => {
      const figures = keyFigures(text);
      if (figures.length === 0) return [];
      return [
        {
          ...{ tier: 'semantic', id: `figures/${hashJson(text).slice(0, 32)}`, figures },
          text: cutText(text, TEXT_CHARS),
          provenance: { at: now, run: runId },
        },
      ];
    });
    if (this.#memory?.keep === undefined) return 0;
    await this.#memory.keep(records);
    return records.reduce((sum, record) => sum + (('figures' in record && record.figures?.length) || 0), 0);
  }

  /** Remembers an exchange that has ended, for those to come. */
  follow(event: FlightEvent, state: RunState): void {
    if (event.type !== 'agent.finished' || event.status === 'aborted' || state.session === null) return;
    const agent = state.crew.get(event.agent);
    if (agent === undefined || agent.parent !== null) return;
    const record: MemoryRecord = {
      ...{ tier: 'episodic', id: `exchange/${hashJson([state.runId, agent.key]).slice(0, 32)}` },
      text: maskSecrets(describeExchange(agent)),
      provenance: { at: event.at, run: state.runId },
    };
    const kept = this.#memory?.keep?.([record]).catch((error: unknown) => {
      this.#troubles.add(`an exchange was not kept: ${toFailure(error).message}`);
    });
    if (kept !== undefined) this.#keeping.push(kept);
  }

  /** Resolves when everything that is kept has been written, with what could not be. */
  async settled(): Promise<readonly string[]> {
    await Promise.all([...this.#keeping, this.#writing]);
    return [...this.#troubles];
  }
}

/** What was asked, what the calls for it came to, what the person said in between, and what was answered. */
function describeExchange({ task, answerText, messages }: AgentState): string {
  const asked = messages.findLastIndex(
    ({ role, content }) => role === 'user' && typeof content === 'string' && content.includes(task),
  );
  const calls = listSteps(messages.slice(Math.max(0, asked))).filter(({ kind }) => kind === 'call');
  const done = calls.slice(-MOST_CALLS).map(({ tool, value }) => {
    const feedback = /a person did not allow this call, and says: ([^]*?)\. It was not made/.exec(value)?.[1];
    return feedback === undefined
      ? `${typeof tool === 'string' ? tool : ''}: ${cutText(value, RESULT_CHARS)}`
      : `The person said: ${feedback}`;
  });
  const parts = [`Asked: ${task}`, ...done, `Answered: ${answerText ?? ''}`];
  return parts.map((part) => cutText(part, TEXT_CHARS)).join('\n');
}
