import type { FlightEvent } from '../flight/events.ts';
import type { Json } from '../kernel/json.ts';
import { formatCount } from '../views/format-amounts.ts';
import { describeNodeDetail, type NodeDetail } from '../views/page/node-detail.ts';
import type { PageModel } from '../views/page/page-model.ts';
import { shownState } from '../views/page/shown-state.ts';
import { agentContent, agentSummary, callContent, callView, failureView, heading } from './call-details.ts';
import { button, element } from './element.ts';
import type { Section } from './section.ts';
import type { Selection } from './selection.ts';
import { stateChip } from './state-chip.ts';
import { valueView } from './value-view.ts';

const MOST_LINKS = 30;
const MOST_CALLS = 20;

/** Beside the page: what was chosen, with its arguments, result and error. */
export class DetailPanel implements Section {
  readonly root = element('aside', { class: 'panel', 'aria-label': 'Details', tabindex: -1, hidden: true });
  readonly #selection: Selection;
  #model: PageModel | null = null;
  #shown = '';

  constructor(selection: Selection) {
    this.#selection = selection;
    selection.onChange(() => {
      this.#show();
      if (selection.current !== null) this.root.scrollTop = 0;
    });
    document.addEventListener('keydown', (event) => {
      if (event.key === 'Escape' && selection.current !== null) selection.choose(null);
    });
  }

  update(model: PageModel): void {
    this.#model = model;
    this.#show();
  }

  #show(): void {
    const { current } = this.#selection;
    const model = this.#model;
    if (model === null) return;
    this.root.hidden = current === null;
    document.body.classList.toggle('with-panel', current !== null);
    if (current === null) {
      this.#shown = '';
      return;
    }
    // Texts that were unfolded stay so until something happens to what is shown.
    const version =
      current.kind === 'node'
        ? `${model.reading.nodes.get(current.id)?.events.length ?? -1} ${model.reading.nodes.get(current.id)?.status ?? ''}`
        : versionOf(current.id, model);
    const shown = `${current.kind} ${current.id} ${version}`;
    if (shown === this.#shown) return;
    this.#shown = shown;
    this.root.replaceChildren(
      button('×', { class: 'close', 'aria-label': 'Close the details' }, () => this.#selection.choose(null)),
      ...this.#contentOf(current.kind, current.id, model),
    );
  }

  #contentOf(kind: string, id: string, model: PageModel): HTMLElement[] {
    if (kind === 'node') {
      const detail = describeNodeDetail(model, id);
      if (detail !== null) return this.#nodeContent(detail, model);
    } else if (kind === 'call') {
      const { rows, calls, agents } = model.waterfall;
      const agent = agents.get(id);
      if (agent !== undefined) return agentContent(agent);
      const row = rows.find((one) => one.id === `call ${id}`);
      if (row !== undefined) return callContent(row, id, calls.get(id) ?? []);
    } else {
      const event = model.reading.events.find(({ seq }) => String(seq) === id);
      if (event !== undefined) return this.#eventContent(event);
    }
    return [element('h2', {}, id), element('p', { class: 'note' }, 'The run knows nothing of this name.')];
  }

  #nodeContent(detail: NodeDetail, model: PageModel): HTMLElement[] {
    const { node, args, amendedBy, result, failures, calls, agents, dependents, history } = detail;
    const tool = model.tools.get(node.plan.tool);
    return [
      element('h2', { class: 'panel-title' }, node.id),
      element(
        'p',
        {},
        stateChip(shownState(node.status)),
        ' ',
        element('code', {}, node.plan.tool),
        tool === undefined ? '' : ` · ${tool.effect}`,
      ),
      ...(tool === undefined ? [] : [element('p', { class: 'note' }, tool.description)]),
      this.#links('Needs', node.plan.deps),
      this.#links('Needed by', dependents),
      this.#links('Items', node.items),
      ...(node.itemOf === null ? [] : [this.#links('Item of', [node.itemOf])]),
      ...failures.map(failureView),
      ...(result === undefined ? [] : [heading('Result'), valueView('Result', result)]),
      heading(amendedBy === null ? 'Arguments' : `Arguments, changed by ${amendedBy}`),
      valueView('Arguments', args),
      ...(agents.length === 0 ? [] : [heading(agents.length === 1 ? 'Agent' : 'Agents')]),
      ...agents.flatMap(agentSummary),
      ...(calls.length === 0
        ? []
        : [
            heading(agents.length === 0 ? 'Model calls' : 'Calls'),
            ...calls.slice(0, MOST_CALLS).map(callView),
          ]),
      ...(calls.length > MOST_CALLS
        ? [element('p', { class: 'note' }, `and ${calls.length - MOST_CALLS} more`)]
        : []),
      heading('History'),
      element(
        'ol',
        { class: 'history' },
        ...history.map(({ seq, text }) =>
          element(
            'li',
            {},
            seq === null ? element('span', { class: 'seq' }, '') : this.#eventLink(seq),
            element('span', {}, text),
          ),
        ),
      ),
    ];
  }

  #eventLink(seq: number): HTMLElement {
    return button(`#${seq}`, { class: 'link seq' }, () =>
      this.#selection.choose({ kind: 'event', id: String(seq) }),
    );
  }

  #links(title: string, ids: readonly string[]): HTMLElement {
    if (ids.length === 0) return element('div', { hidden: true });
    const links = ids
      .slice(0, MOST_LINKS)
      .map((id) => button(id, { class: 'link id' }, () => this.#selection.choose({ kind: 'node', id })));
    const more = ids.length > MOST_LINKS ? ` and ${formatCount(ids.length - MOST_LINKS)} more` : '';
    return element('p', { class: 'links' }, element('b', {}, title), ...links, more);
  }

  #eventContent(event: FlightEvent): HTMLElement[] {
    const node = 'node' in event ? event.node : undefined;
    return [
      element('h2', { class: 'panel-title' }, event.type),
      element('p', { class: 'note' }, `event ${event.seq}, ${new Date(event.at).toISOString()}`),
      ...(node === undefined ? [] : [this.#links('Node', [node])]),
      valueView('Event', event as unknown as Json),
    ];
  }
}

/** Changes whenever something happens to a call or an agent. */
function versionOf(id: string, { waterfall }: PageModel): string {
  const { rounds = 0, finished } = waterfall.agents.get(id) ?? {};
  const kinds = waterfall.rows.find((row) => row.id === `call ${id}`)?.bars.map(({ kind }) => kind) ?? [];
  return [rounds, finished?.status ?? '', ...kinds].join();
}
