/* What the runs of the fault tests are made of. */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { RunStore } from '../../src/contracts/ports.ts';
import type { Tool } from '../../src/contracts/tool.ts';
import type { FlightEvent } from '../../src/flight/events.ts';
import type { ApprovalAnswer, ApprovalQuestion, RunOptions, RunResult } from '../../src/index.ts';
import { echoTool } from './core.ts';

type WorldOptions = Omit<RunOptions, 'store' | 'runId'>;

/** A run of a fault test; `folder` is the world that its irreversible tool writes to. */
export type World = (folder: string) => WorldOptions & {
  /** Takes the session of a world from where it is to its end; `isBegun` where there is something of it. */
  readonly talk?: (
    store: RunStore<FlightEvent>,
    options: WorldOptions,
    runId: string,
    isBegun: boolean,
  ) => Promise<RunResult>;
  /**
   * Makes the run that this one goes on from, and answers its id: that of this run where the first part of it is made,
   * which is then taken up; of another one it is a fork.
   */
  readonly origin?: (store: RunStore<FlightEvent>, options: WorldOptions, runId: string) => Promise<string>;
};

/** The folder that the worlds have as their workspace. */
export const FIXTURES = fileURLToPath(new URL('../fixtures/fault', import.meta.url));

/** How often the irreversible tool of a world has acted. */
export function countSent(folder: string): number {
  const file = join(folder, 'sent.txt');
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').length - 1 : 0;
}

/** The irreversible tool of a world. */
export function sendTool(folder: string): Tool {
  return echoTool('send', {
    effect: 'irreversible',
    run: async () => {
      await delay(1);
      appendFileSync(join(folder, 'sent.txt'), 'sent\n');
      await delay(1);
      return 'sent';
    },
  });
}

/** A person who allows every call, and of one in doubt says what the world shows. */
export function approver(folder: string): (question: ApprovalQuestion) => Promise<ApprovalAnswer> {
  return ({ question }) =>
    Promise.resolve(
      question === 'in_doubt' && countSent(folder) > 0
        ? { decision: 'done', by: 'test', value: 'sent' }
        : { decision: 'approved', by: 'test' },
    );
}
