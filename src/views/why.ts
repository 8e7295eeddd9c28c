import { OrchestratorError } from '../kernel/errors.ts';
import { didYouMean } from '../kernel/did-you-mean.ts';
import { describeCauses } from './why-causes.ts';
import { describeNode } from './why-node.ts';
import { describeRun } from './why-run.ts';
import { readRun } from './read-run.ts';
import type { RunSource } from './run-reading.ts';
import { toOneLine } from './text-width.ts';
import type { Fact } from './why-words.ts';

/**
 * Why a node, or the run, ended as it did: the events that led there, in words, each with its number, down to the
 * causes. Throws `usage` for a node that the run does not know.
 */
export function explain(source: RunSource, node?: string): string {
  const reading = readRun(source);
  if (node === undefined) return renderFacts(describeRun(reading));
  const known = reading.nodes.get(node);
  if (known === undefined) {
    const suggestion = didYouMean(node, reading.nodes.keys());
    const hint =
      suggestion === null ? '`orchestrate show` lists the nodes.' : `Did you mean "${suggestion}"?`;
    throw new OrchestratorError('usage', `the run has no node "${toOneLine(node)}"`, { hint });
  }
  return renderFacts([...describeNode(reading, known), ...describeCauses(reading, known)]);
}

function renderFacts(facts: readonly Fact[]): string {
  const width = facts.reduce((widest, { seq }) => Math.max(widest, seq === null ? 0 : `#${seq}`.length), 0);
  return facts
    .map(({ seq, text }) =>
      `${(seq === null ? '' : `#${seq}`).padStart(width)}  ${toOneLine(text)}`.trimEnd(),
    )
    .join('\n');
}
