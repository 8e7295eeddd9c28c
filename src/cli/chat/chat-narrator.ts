import type { AgentCallbacks, FlightEvent, ToolProgress } from '../../index.ts';
import { cutText } from '../../kernel/cut-text.ts';
import { formatDuration } from '../../views/format-amounts.ts';
import type { Style } from '../../views/style.ts';
import { cutToWidth, toOneLine } from '../../views/text-width.ts';
import type { ChatScreen } from './chat-screen.ts';

/** Answers of these roles are the agent's own; others score, repair or sum up. */
const SPOKEN_ROLES: ReadonlySet<string> = new Set(['agent', 'finalizer']);
/** What is shown of one thought. */
const THOUGHT_CHARS = 1000;
/** The key of a question of the agent itself, and not of one that it delegated to. */
const OWN_KEY = /^chat\/\d+\/\d+(?:#\d+)?$/;
const OWN_AGENT = /^chat\/\d+$/;

type EventOf<T extends FlightEvent['type']> = Extract<FlightEvent, { type: T }>;

/** Shows what an agent does, and keeps what of an answer was shown already. */
export class ChatNarrator {
  readonly #screen: ChatScreen;
  readonly #style: Style;
  readonly #startedAt = new Map<string, number>();
  /** What was streamed of the answer under way, and whose it is. */
  #streamed = { key: '', text: '' };
  #isShown = false;

  constructor(screen: ChatScreen, style: Style) {
    this.#screen = screen;
    this.#style = style;
  }

  /** What the session is to tell. */
  get callbacks(): AgentCallbacks {
    const { onStreamDelta, onThinking, onReasoning, onToolProgress, onStatus } = this;
    return { onStreamDelta, onThinking, onReasoning, onToolProgress, onStatus };
  }

  /** Whether an answer stands on the screen already, since it was streamed. */
  hasShown(answer: string): boolean {
    return this.#isShown && this.#streamed.text.trim() === answer.trim();
  }

  /** Forgets what was streamed before. */
  begin(): void {
    this.#streamed = { key: '', text: '' };
    this.#isShown = false;
  }

  readonly onStreamDelta: NonNullable<AgentCallbacks['onStreamDelta']> = ({ key, role, text }) => {
    if (!this.#screen.isStreaming || !OWN_KEY.test(key) || !SPOKEN_ROLES.has(role)) return;
    if (key !== this.#streamed.key) {
      if (this.#isShown) this.#screen.endAnswer();
      this.#streamed = { key, text: '' };
      this.#isShown = false;
    }
    const before = this.#streamed.text;
    this.#streamed.text += text;
    const start = this.#streamed.text.trimStart();
    // A command as JSON is not for reading; its thoughts are shown once it is understood.
    if (start === '' || /^(?:\{|`{1,3}(?:j|$|\n|\{))/.test(start)) return;
    this.#screen.delta(this.#isShown ? text : before.trimStart() + text);
    this.#isShown = true;
  };

  readonly onThinking: NonNullable<AgentCallbacks['onThinking']> = ({ agent, round }) => {
    const who = OWN_AGENT.test(agent) ? '' : ` (${agent})`;
    this.#screen.status(`thinking${round > 1 ? `, round ${round}` : ''}${who}`);
  };

  readonly onReasoning: NonNullable<AgentCallbacks['onReasoning']> = ({ thoughts }) => {
    this.#screen.endAnswer();
    for (const [name, thought] of Object.entries(thoughts)) {
      if (thought.trim() === '' || (name === 'text' && this.hasShown(thought))) continue;
      // It comes with the answer: where that stands on the screen already, it is too late.
      if (name === 'reasoning' && this.#isShown) continue;
      const text = cutText(toOneLine(thought), THOUGHT_CHARS);
      this.#note(`${name === 'text' ? 'thought' : name}: ${text}`, this.#style.dim);
    }
  };

  readonly onToolProgress: NonNullable<AgentCallbacks['onToolProgress']> = (progress) => {
    const { key, tool, state, args, value, failure } = progress;
    // Its answer is shown as such.
    if (tool === 'finish') return;
    const { green, red, yellow } = this.#style;
    const name = toOneLine(tool === '' ? key : tool);
    switch (state) {
      case 'started':
        this.#startedAt.set(key, Date.now());
        this.#cutNote(`→ ${name} ${shortJson(args)}`, (text) => text);
        this.#screen.status(name);
        return;
      case 'returned':
        this.#cutNote(`✓ ${name}${this.#tookOf(progress)} ${shortJson(value)}`, green);
        return;
      case 'failed':
        this.#cutNote(`✕ ${name}${this.#tookOf(progress)} ${toOneLine(failure?.message ?? '')}`, red);
        return;
      case 'refused':
        this.#cutNote(`⊘ ${name} ${toOneLine(failure?.message ?? '')}`, yellow);
    }
  };

  readonly onStatus: NonNullable<AgentCallbacks['onStatus']> = (event) => {
    const text = describeNotice(event);
    if (text !== null) this.#note(text, this.#style.yellow);
  };

  #tookOf({ key }: ToolProgress): string {
    const startedAt = this.#startedAt.get(key);
    this.#startedAt.delete(key);
    return startedAt === undefined ? '' : ` (${formatDuration(Date.now() - startedAt)})`;
  }

  #cutNote(text: string, paint: (text: string) => string): void {
    this.#note(cutToWidth(text, Math.max(20, this.#screen.columns - 2)), paint);
  }

  #note(text: string, paint: (text: string) => string): void {
    this.#screen.note(`  ${paint(text)}`);
  }
}

function shortJson(value: unknown): string {
  if (value === undefined) return '';
  return toOneLine(typeof value === 'string' ? value : JSON.stringify(value));
}

/** What notices say to whoever talks; null for nothing. The other events show as calls, questions or the end. */
const NOTICES: { readonly [T in FlightEvent['type']]?: (event: EventOf<T>) => string | null } = {
  // What a person interrupted did not fail.
  'model.failed': ({ failure }) =>
    failure.code === 'aborted' ? null : `the model failed: ${toOneLine(failure.message)}`,
  'model.warned': ({ message }) => toOneLine(message),
  'fallback.chosen': ({ reason, from, to }) => `${toOneLine(reason)} at ${from}, on to ${to}`,
  'budget.overrun': ({ dimension, used, reserved }) =>
    `more ${dimension} used than was reserved: ${used} of ${reserved}`,
  'pressure.changed': ({ pressure, dimension, mode }) =>
    `budget: ${Math.round(pressure * 100)} % of ${dimension} used, mode ${mode}`,
  'context.compressed': ({ before, after }) =>
    `the history was made shorter: ${before} messages became ${after}`,
  'compression.failed': ({ reason }) => `the history was not made shorter: ${toOneLine(reason)}`,
  'agent.stopped': ({ reason, detail }) =>
    reason === 'completed' ? null : `it stops (${reason})${detail === '' ? '' : `: ${toOneLine(detail)}`}`,
  'tool.logged': ({ message }) => toOneLine(message),
};

function describeNotice(event: FlightEvent): string | null {
  const describe = NOTICES[event.type] as ((event: FlightEvent) => string | null) | undefined;
  return describe?.(event) ?? null;
}
