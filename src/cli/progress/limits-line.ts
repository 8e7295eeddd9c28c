import type { RunState } from '../../index.ts';
import { countOf } from '../count-of.ts';

/** The limits in force, those of the file and the defaults alike, on one line. */
export function describeLimits(task: RunState['task']): string {
  const { budget, limits, verify } = task;
  const amounts = (['tokens', 'toolCalls', 'llmCalls', 'wallSeconds', 'costUsd'] as const).map(
    (dimension) => `${dimension} ${budget[dimension] ?? 'unlimited'}`,
  );
  return [
    `budget: ${amounts.join(', ')}`,
    `limits: ${task.concurrency} at a time, walk ${task.walk}, ${countOf(limits.maxNodes, 'node')}, ${countOf(limits.attempts, 'attempt')}, ${countOf(limits.replans, 'replan')}, ${limits.nodeTimeoutMs / 1000} s per call`,
    `judge: ${verify.judge}`,
  ].join(' · ');
}
