import type { Failure } from '../contracts/failure.ts';
import type { FlightEvent } from '../flight/events.ts';
import type { Json } from '../kernel/json.ts';
import { formatCount, formatDuration } from '../views/format-amounts.ts';
import { describeNodeDetail, type NodeDetail } from '../views/page/node-detail.ts';
import type { PageModel } from '../views/page/page-model.ts';
import { shownState } from '../views/page/shown-state.ts';
import { BAR_WORDS, type CallTry } from '../views/page/waterfall.ts';
import { button, element } from './element.ts';
import type { Section } from './section.ts';
import type { Selection } from './selection.ts';
import { stateChip } from './state-chip.ts';
import { textView, valueView } from './value-view.ts';

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
        : (model.waterfall.calls
            .get(current.id)
            ?.map(({ bar }) => bar.kind)
            .join() ?? '');
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
      const tries = model.waterfall.calls.get(id);
      if (tries !== undefined) return callContent(id, tries);
    } else {
      const event = model.reading.events.find(({ seq }) => String(seq) === id);
      if (event !== undefined) return this.#eventContent(event);
    }
    return [element('h2', {}, id), element('p', { class: 'note' }, 'The run knows nothing of this name.')];
  }

  #nodeContent(detail: NodeDetail, model: PageModel): HTMLElement[] {
    const { node, args, amendedBy, result, failures, calls, dependents, history } = detail;
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
      ...(calls.length === 0 ? [] : [heading('Model calls'), ...calls.slice(0, MOST_CALLS).map(callView)]),
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

function heading(text: string): HTMLElement {
  return element('h3', {}, text);
}

function failureView({ code, class: kind, message, details }: Failure): HTMLElement {
  return element(
    'div',
    { class: 'failure', role: 'note' },
    element('b', {}, `${code} · ${kind}`),
    textView('Error', message),
    ...(details === undefined ? [] : [valueView('Details of the error', details)]),
  );
}

function callContent(id: string, tries: readonly CallTry[]): HTMLElement[] {
  return [element('h2', { class: 'panel-title' }, `Model call ${id}`), ...tries.map(callView)];
}

function callView({ key, role, model, provider, bar, usage, answer }: CallTry): HTMLElement {
  const length = bar.endMs === null ? 'under way' : formatDuration(bar.endMs - bar.startMs);
  const tokens =
    usage === null ? '' : ` · ${formatCount(usage.inputTokens)} in, ${formatCount(usage.outputTokens)} out`;
  return element(
    'div',
    { class: 'call-view' },
    element(
      'p',
      {},
      element('b', {}, role),
      ` ${provider}${model === '' ? '' : ` · ${model}`} · ${BAR_WORDS[bar.kind]} · ${length}${tokens} `,
      element('code', {}, key),
    ),
    ...(bar.failure === null ? [] : [failureView(bar.failure)]),
    ...(answer === null ? [] : [textView('Answer of the model', answer)]),
  );
}
