import { formatCost, formatCount, formatDuration, formatTime } from '../views/format-amounts.ts';
import type { PageModel } from '../views/page/page-model.ts';
import type { RunStatus } from '../views/run-reading.ts';
import { countOf } from '../views/why-words.ts';
import { element } from './element.ts';
import type { Section } from './section.ts';
import { stateBar } from './state-chip.ts';

const SIGNS: Readonly<Record<RunStatus | 'damaged', readonly [sign: string, tone: string]>> = {
  verified: ['✓', 'good'],
  unverified: ['✓', 'plain'],
  planned: ['○', 'plain'],
  failed: ['✕', 'bad'],
  rejected: ['✕', 'bad'],
  indeterminate: ['?', 'warn'],
  budget: ['⊘', 'warn'],
  waiting: ['‖', 'warn'],
  interrupted: ['■', 'warn'],
  running: ['▸', 'live'],
  unfinished: ['■', 'warn'],
  damaged: ['!', 'bad'],
};

/** How a run stands, as a word with its sign. */
export function statusChip(status: RunStatus | 'damaged'): HTMLElement {
  const [sign, tone] = SIGNS[status];
  return element(
    'span',
    { class: `status tone-${tone}` },
    element('span', { 'aria-hidden': 'true' }, sign),
    status,
  );
}

/** What the run was, and what it came to at a glance. */
export class HeaderView implements Section {
  readonly root = element('div', { class: 'overview' });

  update({ summary, clock, states, pressure, reading }: PageModel): void {
    const { started } = reading;
    this.root.replaceChildren(
      element(
        'div',
        { class: 'headline' },
        element('h1', {}, summary.name),
        statusChip(summary.status),
        ...(summary.mode === 'full'
          ? []
          : [element('span', { class: 'status tone-warn' }, `mode ${summary.mode}`)]),
      ),
      element('p', { class: 'goal' }, summary.goal),
      ...(summary.reason === null ? [] : [element('p', { class: 'reason' }, summary.reason)]),
      ...resumption(summary.status, summary.runId),
      element(
        'p',
        { class: 'facts' },
        element('code', {}, summary.runId),
        ` · began ${formatTime(summary.startedAtMs)}`,
        summary.planVersion === null ? '' : ` · plan ${summary.planVersion}`,
        ` · walk ${started.task.walk}, ${started.task.concurrency} at a time`,
        reading.inherited === null ? '' : ` · forked off ${reading.inherited.origin}`,
        reading.resumedAtMs.length === 0 ? '' : ` · resumed ${reading.resumedAtMs.length}×`,
      ),
      element(
        'div',
        { class: 'tiles' },
        tile('Worked', formatDuration(clock.workMs), 'calls under way, or its own work', 'work'),
        tile('Waited for a person', formatDuration(clock.waitMs), describeWait(clock), 'wait'),
        element('div', { class: 'tile wide' }, element('h3', {}, 'Nodes'), stateBar(states)),
        tile(
          'Tokens',
          formatCount(summary.tokens),
          `${countOf(summary.modelCalls, 'model call')}, ${countOf(summary.toolCalls, 'tool call')}`,
        ),
        tile(
          'Cost',
          summary.costMicroUsd === null ? 'unknown' : formatCost(summary.costMicroUsd),
          summary.costMicroUsd === null ? 'a model without a price was called' : 'by the prices of the task',
        ),
        pressureTile(summary.pressure, summary.pressureDimension, pressure),
      ),
    );
  }
}

/** What to do about a run that no process runs any more. */
function resumption(status: RunStatus, runId: string): HTMLElement[] {
  if (status !== 'unfinished' && status !== 'interrupted') return [];
  const why = status === 'unfinished' ? 'Its process has ended before the run did' : 'It was interrupted';
  const command = element('code', {}, `orchestrate resume ${runId}`);
  return [element('p', { class: 'reason' }, `${why}: `, command, ' takes it up again.')];
}

function describeWait({ waitMs, downMs }: PageModel['clock']): string {
  if (downMs > 0) return `not running for ${formatDuration(downMs)}`;
  return waitMs > 0 ? 'nothing else to do meanwhile' : 'nobody was waited for';
}

function tile(title: string, figure: string, note: string, kind = ''): HTMLElement {
  return element(
    'div',
    { class: `tile ${kind}` },
    element('h3', {}, title),
    element('div', { class: 'figure' }, figure),
    element('div', { class: 'note' }, note),
  );
}

function pressureTile(
  value: number,
  dimension: string,
  { economyAt, minimalAt, dimensions }: PageModel['pressure'],
): HTMLElement {
  const level = value >= minimalAt ? 'high' : value >= economyAt ? 'middle' : 'low';
  const fill = element('span', { class: `gauge-fill ${level}` });
  fill.style.width = `${Math.min(100, value * 100)}%`;
  const marks = [economyAt, minimalAt].map((at) => {
    const mark = element('span', { class: 'gauge-mark' });
    mark.style.left = `${at * 100}%`;
    return mark;
  });
  return element(
    'div',
    { class: 'tile last' },
    element('h3', {}, 'Pressure'),
    element(
      'div',
      { class: 'figure' },
      dimensions.length === 0 ? 'no limits' : `${Math.floor(value * 100)} %`,
    ),
    element('div', { class: 'gauge', 'aria-hidden': 'true' }, fill, ...marks),
    element(
      'div',
      { class: 'note' },
      dimensions.length === 0 ? 'the task sets no budget' : `of ${dimension}`,
    ),
  );
}
