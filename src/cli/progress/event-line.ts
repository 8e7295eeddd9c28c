import { countOf } from '../count-of.ts';
import { toOneLine } from '../../views/text-width.ts';
import { isOfAgent } from '../../views/why-agent.ts';
import type { FlightEvent, RunState } from '../../index.ts';
import { describeAgentLine } from './agent-line.ts';
import { describeCatalogue } from './catalogue-line.ts';

const WHAT_FOR = {
  consent: '',
  plan: '',
  in_doubt: ' to say what became of its call',
  answer: ' to answer',
} as const;

/** What an event means to the person who watches: a word for its kind, and a text on one line. */
export interface EventLine {
  readonly label: string;
  readonly text: string;
  readonly tone: 'plain' | 'good' | 'bad' | 'warn';
  /** Whether it is worth a line of its own beside a live picture. */
  readonly isLasting: boolean;
}

/** The line of a notable event; null for the others. */
export function describeEvent(event: FlightEvent, state: RunState): EventLine | null {
  if (isOfAgent(event)) return describeAgentLine(event);
  switch (event.type) {
    case 'plan.accepted': {
      const { nodes, levels, toolCalls, weight } = event.estimate;
      const estimate = `${countOf(nodes, 'node')} in ${countOf(levels, 'level')}, ${countOf(toolCalls, 'tool call')}, weight ${round(weight)}`;
      const kept = event.kept.length > 0 ? `; ${event.kept.length} kept` : '';
      const warnings = event.warnings.map(({ message }) => `; warning: ${message}`).join('');
      return line('plan', `${event.version}: ${estimate}${kept}${warnings}`, 'plain', true);
    }
    case 'plan.rejected': {
      const [first] = event.problems;
      const more = event.problems.length > 1 ? ` (and ${event.problems.length - 1} more)` : '';
      return line('plan', `refused: ${first?.message ?? 'no reason'}${more}`, 'warn', true);
    }
    case 'level.started':
      return line('level', `${event.level}: ${countOf(event.nodes, 'node')}`);
    case 'pressure.changed':
      return line(
        'pressure',
        `${round(event.pressure)} of ${event.dimension}: mode ${event.mode}`,
        'warn',
        true,
      );
    case 'budget.overrun':
      return line(
        'budget',
        `${event.key} used ${event.used} ${event.dimension}, ${event.reserved} were reserved`,
        'warn',
        true,
      );
    case 'model.answered': {
      const { inputTokens, outputTokens } = event.answer.usage;
      return line('model', `${event.key}: ${inputTokens} + ${outputTokens} tokens`);
    }
    case 'model.failed':
      return line('model', `${event.key} failed: ${event.failure.message}`, 'warn', true);
    case 'model.refused':
      return line(
        'model',
        `${event.key} (${event.role}) does not fit the budget (${event.dimension})`,
        'warn',
        true,
      );
    case 'ask.failed':
      return line('model', `${event.key}: ${event.failure.message}`, 'warn', true);
    case 'fallback.chosen':
      return line('model', `${event.key}: ${event.reason} at ${event.from}, on to ${event.to}`, 'warn', true);
    case 'credential.requested':
      return line('model', `${event.key}: ${event.provider} refused its key, a fresh one is fetched`);
    case 'credential.refreshed':
      return event.failure === undefined
        ? null
        : line('model', `no fresh key for ${event.provider}: ${event.failure.message}`, 'warn', true);
    case 'model.warned':
      return line('model', `${event.key}: ${event.message}`, 'warn', true);
    case 'ask.reused':
      return line('model', `${event.key}: answered from the record`);
    case 'memory.recalled':
      return describeRecalled(event);
    case 'node.expanded':
      return line('node', `${event.node}: ${countOf(event.items, 'item')}`);
    case 'node.done':
    case 'node.joined':
      return line('done', withTool(event.node, state), 'good');
    case 'node.reused':
      return line('done', `${withTool(event.node, state)} (result of ${event.from})`, 'good');
    case 'attempt.failed':
      return line(
        'attempt',
        `${event.attempt} of ${event.node} failed: ${event.failure.message}${event.lingering === true ? '; its code had not returned' : ''}`,
        'warn',
        true,
      );
    case 'retry.scheduled':
      return line('retry', `after ${event.key} in ${round(event.delayMs / 1000)} s`, 'warn');
    case 'node.amended':
      return line('amended', `${event.node} by ${event.by}: ${event.reasons.join('; ')}`, 'warn', true);
    case 'node.hooked':
      if (event.failure !== undefined)
        return line('hook', `${event.node} blocked: ${event.failure.message}`, 'warn', true);
      return event.args === undefined ? null : line('amended', `${event.node} by hook`, 'warn', true);
    case 'node.failed':
      return line('failed', `${withTool(event.node, state)}: ${event.failure.message}`, 'bad', true);
    case 'node.skipped': {
      const why = event.dependency === undefined ? event.reason : `${event.dependency} is not done`;
      return line('skipped', `${event.node}: ${why}`, 'warn');
    }
    case 'node.refused':
      return line('refused', `${event.node} by ${event.by}: ${event.reason}`, 'bad', true);
    case 'node.cancelled':
      return line('cancelled', event.node, 'warn');
    case 'approval.requested':
      return line(
        'approval',
        `${event.node} waits for a person${WHAT_FOR[event.question]}: ${event.tool} ${JSON.stringify(event.args)}`,
        'warn',
        true,
      );
    case 'approval.decided':
      return line('approval', `${event.node} ${event.decision} by ${event.by}`, 'plain', true);
    case 'replan.started': {
      const because =
        event.reason === 'verdict' ? 'the result did not pass' : `${event.failed.join(', ')} failed`;
      return line('replan', because, 'warn', true);
    }
    case 'verdict.reached': {
      const { outcome, tier, reasons } = event.verdict;
      const why = reasons.length === 0 ? '' : `: ${reasons.join('; ')}`;
      return line(
        'verdict',
        `${outcome} (${tier})${why}`,
        outcome === 'pass' ? 'good' : 'bad',
        outcome !== 'pass',
      );
    }
    case 'tool.logged':
      return line('log', `${event.node}: ${event.message}`, 'plain', true);
    case 'cancel.requested':
      return line('cancel', event.reason, 'warn');
    case 'run.interrupted':
      return line('run', 'interrupted', 'warn');
    case 'run.resumed':
      return line('run', 'taken up again');
    case 'run.forked':
      return line('run', `${event.runId} goes on from event ${event.sequence} of ${event.origin}`);
    case 'catalogue.published': {
      const notes = describeCatalogue(event);
      return notes === null ? null : line('tools', notes, 'warn', true);
    }
    case 'run.started':
    case 'model.requested':
    case 'memory.requested':
    case 'ask.received':
    case 'node.started':
    case 'hooks.requested':
    case 'check.called':
    case 'check.returned':
    case 'timer.fired':
    case 'run.finished':
      return null;
  }
}

/** What memory gave to a call; nothing where it gave nothing and nothing was wrong. */
function describeRecalled({
  key,
  included,
  warnings,
}: Extract<FlightEvent, { type: 'memory.recalled' }>): EventLine | null {
  if (included.length === 0 && warnings.length === 0) return null;
  const call = key.replace(/^memory\//, '');
  const recalled = included.length === 0 ? 'nothing' : countOf(included.length, 'memory', 'memories');
  const text = [`${recalled} for ${call}`, ...warnings].join('; ');
  return line('recalled', text, warnings.length > 0 ? 'warn' : 'plain', warnings.length > 0);
}

function line(label: string, text: string, tone: EventLine['tone'] = 'plain', isLasting = false): EventLine {
  return { label, text: toOneLine(text), tone, isLasting };
}

function withTool(id: string, state: RunState): string {
  const tool = state.nodes.get(id)?.tool.name;
  return tool === undefined ? id : `${id} (${tool})`;
}

function round(amount: number): string {
  return String(Math.round(amount * 100) / 100);
}
