import type { FlightEvent } from '../flight/events.ts';
import type { RunPageData } from '../views/page/page-data.ts';
import { buildPageModel, type PageModel } from '../views/page/page-model.ts';
import { countOf } from '../views/why-words.ts';
import { DetailPanel } from './detail-panel.ts';
import { element } from './element.ts';
import { EventsView } from './events-view.ts';
import { GraphView } from './graph-view.ts';
import { HeaderView } from './header-view.ts';
import { type FeedState, listenToFeed } from './live-feed.ts';
import { PressureView } from './pressure-view.ts';
import { QuestionsView } from './questions-view.ts';
import type { Section } from './section.ts';
import { Selection } from './selection.ts';
import { TablesView } from './tables-view.ts';
import { topBar } from './top-bar.ts';
import { VerdictView } from './verdict-view.ts';
import { WaterfallView } from './waterfall-view.ts';

const PARTS: readonly (readonly [id: string, title: string])[] = [
  ['plan', 'Plan'],
  ['waterfall', 'Waterfall'],
  ['answer', 'Answer'],
  ['budget', 'Budget'],
  ['steps', 'Latency'],
  ['usage', 'Tokens'],
  ['events', 'Events'],
];

const LEAST_PAUSE_MS = 120;
/** Drawing takes a part of the time at most, however large the run is. */
const PAUSE_FACTOR = 6;
const TICK_MS = 1000;

/** Shows one run on the page, and goes on with it where it is served. */
export function showRun(page: HTMLElement, data: RunPageData): void {
  const view = new RunView(page, data);
  view.draw();
  performance.mark('page-ready');
  document.documentElement.dataset['ready'] = 'true';
  if (data.live !== null) view.follow(data.live.base);
}

class RunView {
  readonly #events: FlightEvent[];
  readonly #sections: readonly Section[];
  readonly #state = element('span', { class: 'feed', role: 'status' });
  #model: PageModel | null = null;
  #isLive = false;
  #isLeft: boolean;
  #feed: FeedState | null = null;
  #timer: number | undefined;
  #dueMs = 0;
  #restUntilMs = 0;

  constructor(page: HTMLElement, data: RunPageData) {
    this.#events = [...data.events];
    this.#isLeft = data.isLeft;
    const selection = new Selection();
    const panel = new DetailPanel(selection);
    const body: Section[] = [
      new HeaderView(),
      new QuestionsView(data.live?.base ?? null),
      new GraphView(selection),
      new WaterfallView(selection),
      new VerdictView(),
      new PressureView(selection),
      new TablesView(),
      new EventsView(selection),
    ];
    this.#sections = [...body, panel];
    const main = element('main', {}, ...body.map(({ root }) => root), footer(data));
    page.append(
      topBar(PARTS, data.live?.list ?? null, this.#state),
      element('div', { class: 'frame' }, main, panel.root),
    );
  }

  draw(): void {
    this.#model = buildPageModel(this.#events, this.#isLive ? Date.now() : undefined, this.#isLeft);
    for (const section of this.#sections) section.update(this.#model);
    if (this.#feed !== null) this.#tellState(this.#feed);
    const waiting = this.#model.questions.length;
    const { name } = this.#model.summary;
    document.title = `${waiting > 0 ? `(${waiting}) ` : ''}${name} · orchestrate`;
  }

  /** Shows what comes from the server as it comes. */
  follow(base: string): void {
    this.#isLive = true;
    listenToFeed(base, this.#events.at(-1)?.seq ?? -1, {
      onEvents: (events) => {
        this.#events.push(...events);
        this.#drawSoon(LEAST_PAUSE_MS);
      },
      onState: (state) => this.#onState(state),
      onLeft: (isLeft) => {
        if (isLeft === this.#isLeft) return;
        this.#isLeft = isLeft;
        this.#drawSoon(LEAST_PAUSE_MS);
      },
    });
    this.#drawSoon(TICK_MS);
  }

  /** Draws after a pause, or earlier where that is due already, but never more often than drawing allows. */
  #drawSoon(pauseMs: number): void {
    const dueMs = Math.max(performance.now() + pauseMs, this.#restUntilMs);
    if (this.#timer !== undefined && this.#dueMs <= dueMs) return;
    window.clearTimeout(this.#timer);
    this.#dueMs = dueMs;
    this.#timer = window.setTimeout(() => this.#drawNow(), dueMs - performance.now());
  }

  #drawNow(): void {
    this.#timer = undefined;
    const beforeMs = performance.now();
    this.draw();
    const nowMs = performance.now();
    this.#restUntilMs = nowMs + PAUSE_FACTOR * (nowMs - beforeMs);
    // Bars of what is under way grow although nothing comes.
    if (this.#isLive && this.#isUnderWay()) this.#drawSoon(TICK_MS);
  }

  #isUnderWay(): boolean {
    const status = this.#model?.reading.status;
    return status === 'running' || status === 'waiting';
  }

  #onState(state: FeedState): void {
    this.#feed = state;
    if (state === 'ended') {
      this.#isLive = false;
      this.#drawSoon(0);
    } else this.#tellState(state);
  }

  #tellState(state: FeedState): void {
    const isCut = state === 'ended' && this.#isUnderWay();
    this.#state.textContent = isCut ? 'the process that served it has ended' : FEED_WORDS[state];
    this.#state.className = `feed ${state}`;
  }
}

const FEED_WORDS: Readonly<Record<FeedState, string>> = {
  live: 'live',
  reconnecting: 'reconnecting …',
  ended: 'ended',
};

function footer({ program, madeAtMs, redacted, cut }: RunPageData): HTMLElement {
  const notes = [
    `made by orchestrate ${program}, ${new Date(madeAtMs).toISOString().slice(0, 19).replace('T', ' ')} UTC`,
    ...(redacted > 0 ? [`${countOf(redacted, 'text')} redacted that look like credentials`] : []),
    ...(cut > 0 ? [`${countOf(cut, 'long text')} cut`] : []),
  ];
  return element('footer', {}, notes.join(' · '));
}
