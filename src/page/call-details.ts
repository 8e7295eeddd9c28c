import type { Failure } from '../contracts/failure.ts';
import { formatCount, formatDuration } from '../views/format-amounts.ts';
import {
  type AgentReading,
  BAR_WORDS,
  type CallTry,
  type WaterfallRow,
} from '../views/page/waterfall-rows.ts';
import { element } from './element.ts';
import { stateChip } from './state-chip.ts';
import { textView, valueView } from './value-view.ts';

/** A title within the details. */
export function heading(text: string): HTMLElement {
  return element('h3', {}, text);
}

/** What went wrong, with all that is known of it. */
export function failureView({ code, class: kind, message, details }: Failure): HTMLElement {
  return element(
    'div',
    { class: 'failure', role: 'note' },
    element('b', {}, `${code} · ${kind}`),
    textView('Error', message),
    ...(details === undefined ? [] : [valueView('Details of the error', details)]),
  );
}

/** A call of a model or of a tool, with its tries and the waits for a person. */
export function callContent(row: WaterfallRow, id: string, tries: readonly CallTry[]): HTMLElement[] {
  const waits = row.bars.filter(({ kind }) => kind === 'waiting');
  return [
    element('h2', { class: 'panel-title' }, row.kind === 'tool' ? row.label : `Model call ${id}`),
    element('p', {}, stateChip(row.state), ' ', element('code', {}, id)),
    ...waits.map(({ startMs, endMs }) =>
      element(
        'p',
        { class: 'note' },
        endMs === null ? 'A person is asked.' : `A person was asked for ${formatDuration(endMs - startMs)}.`,
      ),
    ),
    ...tries.map(callView),
  ];
}

/** One try of a call. */
export function callView(call: CallTry): HTMLElement {
  const { kind, key, role, model, provider, bar, usage, answer, args, result } = call;
  const length = bar.endMs === null ? 'under way' : formatDuration(bar.endMs - bar.startMs);
  const tokens =
    usage === null ? '' : ` · ${formatCount(usage.inputTokens)} in, ${formatCount(usage.outputTokens)} out`;
  const where = kind === 'tool' ? 'tool' : `${provider}${model === '' ? '' : ` · ${model}`}`;
  return element(
    'div',
    { class: 'call-view' },
    element(
      'p',
      {},
      element('b', {}, role),
      ` ${where} · ${BAR_WORDS[bar.kind]} · ${length}${tokens} `,
      element('code', {}, key),
    ),
    ...(bar.failure === null ? [] : [failureView(bar.failure)]),
    ...(answer === null || answer === '' ? [] : [textView('Answer of the model', answer)]),
    ...(args === undefined ? [] : [heading('Arguments'), valueView('Arguments', args)]),
    ...(result === undefined ? [] : [heading('Result'), valueView('Result', result)]),
  );
}

/** An exchange of an agent: what it was asked, what it may, and how it ended. */
export function agentContent(agent: AgentReading): HTMLElement[] {
  const { agent: key, name, grant } = agent.started;
  return [
    element('h2', { class: 'panel-title' }, name ?? `Agent ${key}`),
    ...agentSummary(agent),
    heading('Tools that it may call'),
    element('p', { class: 'note' }, grant.tools.join(', ')),
  ];
}

/** What an agent was asked, and where it stands. */
export function agentSummary({ started, rounds, finished }: AgentReading): HTMLElement[] {
  const stands = finished === null ? 'at work' : `${finished.status}: ${finished.reason}`;
  return [
    element(
      'p',
      {},
      element('code', {}, started.agent),
      ` ${formatCount(rounds)} ${rounds === 1 ? 'round' : 'rounds'} · ${stands}`,
    ),
    textView('Task of the agent', started.task),
  ];
}
