import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { AnswerTails } from '../../../src/cli/progress/answer-tails.ts';
import { describeEvent } from '../../../src/cli/progress/event-line.ts';
import { createLiveProgress } from '../../../src/cli/progress/live-progress.ts';
import type { Progress } from '../../../src/cli/progress/observed.ts';
import { NodeTimes } from '../../../src/cli/progress/node-times.ts';
import { createPlainProgress } from '../../../src/cli/progress/plain-progress.ts';
import { renderFrame } from '../../../src/cli/progress/progress-frame.ts';
import { createStyle } from '../../../src/cli/style.ts';
import { textWidth } from '../../../src/views/text-width.ts';
import type { FlightEvent } from '../../../src/flight/events.ts';
import { evolve, foldEvents } from '../../../src/run/evolve.ts';
import { LOG_START_MS } from '../../support/flight-builder.ts';
import {
  cityCompare,
  failedRun,
  foreachRun,
  interruptedRun,
  replannedRun,
  retriedRun,
} from '../../support/flight-scenarios.ts';
import { recordIo } from './support.ts';

const BUSY = { code: 'model_overloaded', class: 'TRANSIENT', message: '529' } as const;
const plain = createStyle({ write: () => true }, {});

/** The events with every tool of their plans in the catalogue, as a real log has them. */
function complete(events: readonly FlightEvent[]): FlightEvent[] {
  const used = events.flatMap((event) =>
    event.type === 'plan.accepted' ? event.plan.nodes.map(({ tool }) => tool) : [],
  );
  return events.map((event) => {
    if (event.type !== 'catalogue.published') return event;
    const known = new Set(event.tools.map(({ name }) => name));
    const missing = [...new Set(used)].filter((name) => !known.has(name));
    const tools = missing.map((name) => ({
      name,
      description: name,
      input: true,
      costHint: 1,
      effect: 'read' as const,
    }));
    return { ...event, tools: [...event.tools, ...tools] };
  });
}

/** Reports the events of a run one after the other, as the engine does. */
function report(events: readonly FlightEvent[], progress: Progress): void {
  const state = foldEvents(events.slice(0, 1));
  for (const [index, event] of events.entries()) {
    if (index > 0) evolve(state, event);
    progress.onEvent(event, state);
  }
}

function plainLines(events: readonly FlightEvent[]): string[] {
  const io = recordIo();
  const progress = createPlainProgress(io.stdout, plain);
  report(complete(events), progress);
  progress.close();
  return io.written.stdout.trimEnd().split('\n');
}

describe('plain progress', () => {
  it('has a line for each notable event, with the estimate when the plan is accepted', () => {
    const lines = plainLines(cityCompare());
    expect(lines[0]).toBe('run 20261130-070000-000-aaaa: city-compare');
    expect(lines[1]).toContain('budget: tokens 1000, toolCalls 6, llmCalls unlimited, wallSeconds 10');
    const labels = lines
      .slice(2)
      .map((line) => line.slice(10, 20).trim())
      .filter((label) => label !== 'pressure');
    expect(labels).toEqual([
      'model',
      'plan',
      'level',
      'done',
      'done',
      'level',
      'model',
      'done',
      'model',
      'verdict',
    ]);
    expect(lines.find((line) => line.includes(' plan '))).toContain(
      '1: 3 nodes in 1 level, 3 tool calls, weight 3',
    );
    expect(lines.find((line) => line.includes('osaka'))).toMatch(
      /^ +0\.\d{3}s done +osaka \(get_population\)$/,
    );
  });

  it('names retries, failures and replans with their reasons', () => {
    expect(plainLines(retriedRun()).join('\n')).toContain('HTTP 503 from the register');
    expect(plainLines(failedRun()).join('\n')).toMatch(
      /failed +\S+ \(get_population\): no city named "Atlantis"/,
    );
    expect(plainLines(replannedRun()).join('\n')).toContain('replan');
    expect(plainLines(interruptedRun()).join('\n')).toContain('interrupted');
  });

  it('shows no pieces of answers: nobody watches', () => {
    expect(createPlainProgress(recordIo().stdout, plain)).not.toHaveProperty('onDelta');
  });

  it('stays on one line whatever a tool says', () => {
    const state = foldEvents(cityCompare());
    const event = { seq: 99, at: 0, type: 'tool.logged', node: 'paris', message: 'a\n\u001b[2Jb' } as const;
    expect(describeEvent(event, state)?.text).toBe('paris: a [2Jb');
  });
});

describe('a frame of the live picture', () => {
  const context = {
    ...{ style: plain, columns: 80, rows: 24, startedAt: LOG_START_MS },
    ...{ times: new NodeTimes(), tails: new AnswerTails() },
  };

  it('counts nodes by state and names what runs, for how long', () => {
    const events = cityCompare();
    const state = foldEvents(events.slice(0, events.findIndex(({ type }) => type === 'node.done') + 1));
    const times = new NodeTimes();
    const args = { attempt: 1, args: '', timeoutMs: 1000 } as const;
    times.follow({ seq: 9, at: LOG_START_MS + 500, type: 'node.started', node: 'paris', ...args });
    const frame = renderFrame(state, { ...context, now: LOG_START_MS + 2500, times, isInterrupting: false });
    expect(frame[0]).toContain('city-compare 20261130-070000-000-aaaa walking');
    expect(frame[1]).toContain('1/3 · 1 done · 1 running · 1 pending');
    expect(frame[2]).toMatch(/^ {2}pressure [█░┃]+ \d+ % of \w+ · economy at 70 %, minimal at 90 %$/);
    expect(frame[3]).toMatch(/^ {2}(≥ )?\$0 · 1 tool call · 1 model call · /);
    expect(frame).toContainEqual(
      expect.stringMatching(/^ {2}[│ ] {2}[├└]─ [⠋-⠿] paris get_population 2\.0s$/),
    );
  });

  it('shows a model call of the run itself while there is no plan', () => {
    const events = cityCompare();
    const state = foldEvents(events.slice(0, events.findIndex(({ type }) => type === 'model.requested') + 1));
    const frame = renderFrame(state, { ...context, now: LOG_START_MS, isInterrupting: true });
    expect(frame[0]).toContain('interrupting');
    expect(frame[1]).toContain('no plan yet');
    expect(frame[4]).toMatch(/^ {2}└─ [⠋-⠿] planner mock-1/);
  });

  it('shows what a model says just now, as much of its end as fits, until the call has ended', () => {
    const events = cityCompare();
    const asked = events.findIndex(({ type }) => type === 'model.requested');
    const state = foldEvents(events.slice(0, asked + 1));
    const { key } = events[asked] as Extract<FlightEvent, { type: 'model.requested' }>;
    const tails = new AnswerTails();
    const rowAt = (columns: number) =>
      renderFrame(state, { ...context, tails, columns, now: LOG_START_MS, isInterrupting: false })[4] ?? '';
    const bare = rowAt(80);
    tails.add({ key, role: 'planner', text: 'First line\n' });
    tails.add({ key, role: 'planner', text: '\u001b[2Jand 東京' });
    expect(rowAt(80)).toBe(`${bare}  First line [2Jand 東京`);
    expect(rowAt(textWidth(bare) + 10)).toBe(`${bare}  nd 東京`);
    for (let columns = 20; columns < 80; columns++) expect(textWidth(rowAt(columns))).toBeLessThan(columns);
    tails.add({ key: 'other/1/1', node: 'other', role: 'writer', text: 'elsewhere' });
    expect(rowAt(80)).not.toContain('elsewhere');
    tails.add({ key, role: 'planner', text: 'x'.repeat(100_000) });
    expect(rowAt(200)).toMatch(/x{100}$/);
    tails.follow({ seq: 9, at: 0, type: 'model.failed', key, failure: BUSY });
    expect(rowAt(80)).toBe(bare);
  });

  it.each([20, 40, 80, 200])('is never wider than a terminal of %i columns', (columns) => {
    for (const events of [cityCompare(), foreachRun(), failedRun()].map(complete)) {
      for (let end = 1; end <= events.length; end++) {
        const state = foldEvents(events.slice(0, end));
        const frame = renderFrame(state, { ...context, columns, now: LOG_START_MS, isInterrupting: false });
        for (const line of frame) expect(textWidth(line)).toBeLessThan(columns);
      }
    }
  });
});

describe('live progress', () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: LOG_START_MS });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('draws by the clock and not by the event, and leaves only the lasting lines', () => {
    const io = recordIo({}, 80);
    const writes: string[] = [];
    const stream = { ...io.stdout, write: (text: string) => writes.push(text) };
    const progress = createLiveProgress(stream, plain, {});
    report(complete(failedRun()), progress);
    progress.onDelta?.({ key: 'plan/1', role: 'planner', text: 'a piece' });
    expect(writes).toHaveLength(1);
    vi.advanceTimersByTime(1000);
    expect(writes.length).toBeLessThanOrEqual(14);
    progress.close();
    const last = writes.at(-1) ?? '';
    expect(last).toContain('\u001b[?25h');
    expect(writes.join('')).toContain('no city named "Atlantis"');
    const before = writes.length;
    vi.advanceTimersByTime(1000);
    expect(writes).toHaveLength(before);
  });
});
