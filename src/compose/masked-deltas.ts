import type { ModelDelta } from '../contracts/model.ts';
import type { FlightEvent } from '../flight/events.ts';
import type { CredentialMask, StreamMask } from '../flight/mask.ts';

/** The pieces of all answers under way, told without known credentials, even where one is split over several pieces. */
export class MaskedDeltas {
  readonly #credentials: CredentialMask;
  readonly #tell: (delta: ModelDelta) => void;
  readonly #open = new Map<string, { readonly stream: StreamMask; readonly delta: ModelDelta }>();

  constructor(credentials: CredentialMask, tell: (delta: ModelDelta) => void) {
    this.#credentials = credentials;
    this.#tell = tell;
  }

  readonly add = (delta: ModelDelta): void => {
    const { stream } = this.#open.get(delta.key) ?? { stream: this.#credentials.openStream() };
    this.#open.set(delta.key, { stream, delta });
    this.#pass(delta, stream.add(delta.text));
  };

  /** To be called before an event is told: the end of an answer gives out what was held back of it. */
  follow(event: FlightEvent): void {
    if (event.type !== 'model.answered' && event.type !== 'model.failed') return;
    const open = this.#open.get(event.key);
    this.#open.delete(event.key);
    // Of a call that failed no more is told.
    if (open !== undefined && event.type === 'model.answered') this.#pass(open.delta, open.stream.end());
  }

  #pass(delta: ModelDelta, text: string): void {
    if (text !== '') this.#tell({ ...this.#credentials.mask({ ...delta, text: '' }), text });
  }
}
