import { formatCost, formatCount, formatDuration, formatTime } from '../views/format-amounts.ts';
import type { ListPageData, RunListEntry } from '../views/page/page-data.ts';
import { countOf } from '../views/why-words.ts';
import { element, table } from './element.ts';
import { statusChip } from './header-view.ts';
import { topBar } from './top-bar.ts';

const LOOK_MS = 2000;
const REST_FACTOR = 10;

/** Shows every run of a folder, and keeps the list as it is there. */
export function showList(page: HTMLElement, data: ListPageData): void {
  const search = element('input', {
    type: 'search',
    placeholder: 'Search name, goal, status',
    'aria-label': 'Search runs',
  });
  const note = element('p', { class: 'note', 'aria-live': 'polite' });
  const body = element('div', { class: 'scroll' });
  const state = element('span', { class: 'feed live', role: 'status' }, 'live');
  let shown: Pick<ListPageData, 'runs' | 'more'> = data;
  const draw = (): void => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const runs = shown.runs.filter((run) => {
      const text = `${run.runId} ${run.name} ${run.goal} ${run.status}`.toLowerCase();
      return words.every((word) => text.includes(word));
    });
    const questions = shown.runs.reduce((sum, run) => sum + run.questions, 0);
    note.textContent = [
      `${formatCount(runs.length)} of ${formatCount(shown.runs.length)} runs in ${data.folder}`,
      ...(shown.more > 0 ? [`${formatCount(shown.more)} older ones are not shown`] : []),
      ...(questions > 0 ? [countOf(questions, 'open question')] : []),
    ].join(' · ');
    body.replaceChildren(
      shown.runs.length === 0
        ? element('p', { class: 'empty' }, 'No runs here yet. Start one with orchestrate run task.yaml --web')
        : listTable(runs, data.live.base),
    );
    document.title = `${questions > 0 ? `(${questions}) ` : ''}Runs · orchestrate`;
  };
  search.addEventListener('input', draw);
  page.append(
    topBar([], null, state),
    element(
      'main',
      { class: 'list' },
      element('div', { class: 'headline' }, element('h1', {}, 'Runs')),
      element(
        'section',
        { class: 'card', 'aria-label': 'Runs' },
        element('div', { class: 'card-head' }, note, search),
        body,
      ),
      element('footer', {}, `orchestrate ${data.program}`),
    ),
  );
  draw();
  performance.mark('page-ready');
  document.documentElement.dataset['ready'] = 'true';
  const look = async (): Promise<void> => {
    const beforeMs = performance.now();
    try {
      const response = await fetch(`${data.live.base}/list`);
      const next = (await response.json()) as Pick<ListPageData, 'runs' | 'more'>;
      const isNew = JSON.stringify(next.runs) !== JSON.stringify(shown.runs);
      shown = next;
      if (isNew) draw();
      state.textContent = 'live';
      state.className = 'feed live';
    } catch {
      state.textContent = 'the process that served it has ended';
      state.className = 'feed ended';
    }
    setTimeout(() => void look(), Math.max(LOOK_MS, REST_FACTOR * (performance.now() - beforeMs)));
  };
  setTimeout(() => void look(), LOOK_MS);
}

function listTable(runs: readonly RunListEntry[], base: string): HTMLElement {
  const rows = runs.map((run) => [
    element(
      'div',
      { class: 'run-name' },
      element(
        'a',
        { href: `${base}/runs/${encodeURIComponent(run.runId)}/` },
        run.name === '' ? run.runId : run.name,
      ),
      element('span', { class: 'note' }, run.goal),
    ),
    statusChip(run.status),
    run.questions === 0 ? '' : element('span', { class: 'status tone-warn' }, `${run.questions} open`),
    run.startedAtMs === null ? '' : formatTime(run.startedAtMs),
    formatDuration(run.elapsedMs),
    run.nodes === 0 ? '' : `${formatCount(run.nodesDone)} / ${formatCount(run.nodes)}`,
    run.costMicroUsd === null ? 'unknown' : formatCost(run.costMicroUsd),
    pressureGauge(run.pressure),
  ]);
  return table(
    'Runs, the newest first',
    [
      ...([
        ['Run'],
        ['State'],
        ['Questions'],
        ['Began'],
        ['Took', 'num'],
        ['Nodes', 'num'],
        ['Cost', 'num'],
      ] as const),
      ['Pressure', 'gauge-cell'] as const,
    ],
    rows,
  );
}

function pressureGauge(pressure: number): HTMLElement {
  const fill = element('span', {
    class: `gauge-fill ${pressure >= 0.9 ? 'high' : pressure >= 0.7 ? 'middle' : 'low'}`,
  });
  fill.style.width = `${Math.min(100, pressure * 100)}%`;
  return element(
    'span',
    { class: 'with-gauge' },
    element('span', { class: 'gauge', 'aria-hidden': 'true' }, fill),
    `${Math.floor(pressure * 100)} %`,
  );
}
