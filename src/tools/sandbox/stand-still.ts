/*
 * Programs of one run that are kept from denied names. What is denied is covered where it is found, so nothing may be
 * moved between the two: while one program starts, the others of its run stand still, and no other starts.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { DeniedNames } from '../../contracts/policy/denied-names.ts';
import type { ChildGroup } from '../../contracts/process.ts';
import { ToolError } from '../../kernel/errors.ts';
import { processStatFields } from '../../kernel/process-stat.ts';
import { familyOf } from './family-usage.ts';

/** What a program in a new sandbox does first, so that nothing of it runs before all is covered. */
export const WAIT_AT_FIRST = 'kill -STOP $$; ';

const PATIENCE_MS = 10_000;
/** Hundreds of covers take a slow machine a while. */
const BEGIN_MS = 60_000;
/** Who waits for a child of its own that stands still comes to no stop: so long is waited before all go on a while. */
const ROUND_MS = 200;
const LOOK_MS = 5;
const MOST_TRIES = 5;
/** Stopped, traced, or ended. */
const STILL = /^[TtZXx]$/;

interface Line {
  last: Promise<unknown>;
  readonly living: Set<ChildGroup>;
}

const lines = new WeakMap<DeniedNames, Line>();

/**
 * Starts a program that stops itself at first, and has it go on, while the others that are kept from the same names stand
 * still; throws a ToolError where they do not.
 */
export async function startAlone<T extends { readonly group: ChildGroup }>(
  denied: DeniedNames,
  start: () => Promise<T>,
): Promise<T> {
  const line = lines.get(denied) ?? { last: Promise.resolve(), living: new Set() };
  lines.set(denied, line);
  const result = line.last.then(async () => {
    for (let tries = 1; tries <= MOST_TRIES; tries++) {
      const started = await tryAlone(line, start);
      if (started !== null) return started;
    }
    throw restless();
  });
  line.last = result.catch(() => undefined);
  return result;
}

/** Null where the others did not stand still all the while: then nothing of the program has run. */
async function tryAlone<T extends { readonly group: ChildGroup }>(
  { living }: Line,
  start: () => Promise<T>,
): Promise<T | null> {
  const halted = await halt(living);
  try {
    const others = [...living];
    const before = traceOf(others);
    const started = await start();
    const { group } = started;
    const waiting = await untilWaiting(group);
    // A timer of its own may have made one of them go on.
    if (waiting !== null && traceOf(others) !== before) {
      await group.stop(0);
      return null;
    }
    living.add(group);
    void group.ended.then(() => living.delete(group));
    if (waiting !== null) send(waiting, 'SIGCONT');
    return started;
  } finally {
    goOn(halted);
  }
}

/** Stops all of them, with what they have started, until those that end are gone; the processes that it stopped. */
async function halt(living: ReadonlySet<ChildGroup>): Promise<ReadonlySet<number>> {
  const stopped = new Set<number>();
  const until = performance.now() + PATIENCE_MS;
  for (let round = performance.now(); ;) {
    const groups = [...living];
    const moving = familyOf(...groups.map(({ pid }) => pid)).filter(({ pid }) => !isStill(pid));
    const dying = groups.filter(({ pid }) => !isThere(pid));
    if (moving.length === 0 && dying.length === 0) return stopped;
    for (const { pid } of moving) if (send(pid, 'SIGSTOP')) stopped.add(pid);
    // What is left of them is being killed, and no longer found by who started it.
    await Promise.race([delay(LOOK_MS), ...dying.map(({ ended }) => ended)]);
    if (performance.now() - round < ROUND_MS) continue;
    goOn(stopped);
    if (performance.now() > until) throw restless();
    stopped.clear();
    await delay(LOOK_MS);
    round = performance.now();
  }
}

/** The process that stopped itself at first; null where the program has ended without one. */
async function untilWaiting(group: ChildGroup): Promise<number | null> {
  const isOver = group.ended.then(() => true);
  for (const until = performance.now() + BEGIN_MS; performance.now() < until;) {
    const waiting = familyOf(group.pid).find(
      ({ pid }) => pid !== group.pid && stateOf(`/proc/${pid}`) === 'T',
    );
    if (waiting !== undefined) return waiting.pid;
    if (await Promise.race([isOver, delay(LOOK_MS, false)])) return null;
  }
  await group.stop(0);
  throw new ToolError('PERMANENT', `the sandbox was not made within ${BEGIN_MS / 1000} s`);
}

/** All of their threads and how often each has stopped: the same only where none has run in between. */
function traceOf(groups: readonly ChildGroup[]): string {
  const all = familyOf(...groups.map(({ pid }) => pid)).flatMap(({ pid }) => threadsOf(pid));
  return all.map((folder) => `${folder} ${switchesOf(folder)}`).join('\n');
}

function switchesOf(folder: string): string {
  return (read(`${folder}/status`)?.match(/_switches:\s+\d+/g) ?? []).join(' ');
}

/** Whether the process itself lives. */
function isThere(pid: number): boolean {
  return /^[^ZXx]$/.test(stateOf(`/proc/${pid}`));
}

/** Whether none of its threads runs: the first may have ended before the others. */
function isStill(pid: number): boolean {
  return threadsOf(pid).every((folder) => STILL.test(stateOf(folder)));
}

function threadsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`).map((thread) => `/proc/${pid}/task/${thread}`);
  } catch {
    // It has ended meanwhile.
    return [];
  }
}

/** One letter; `X` for what has ended. */
function stateOf(folder: string): string {
  const stat = read(`${folder}/stat`);
  return stat === null ? 'X' : (processStatFields(stat)[0] ?? '');
}

function read(file: string): string | null {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return null;
  }
}

function goOn(processes: Iterable<number>): void {
  for (const pid of processes) send(pid, 'SIGCONT');
}

function send(pid: number, signal: 'SIGSTOP' | 'SIGCONT'): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    // It has ended meanwhile.
    return false;
  }
}

function restless(): ToolError {
  return new ToolError('TRANSIENT', 'another program of this run did not stand still while this one began');
}
