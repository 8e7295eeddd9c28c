import type { OpenRun } from '../contracts/ports.ts';
import type { Driver } from '../engine/driver.ts';
import type { EventPayload, FlightEvent } from '../flight/events.ts';
import type { Json } from '../kernel/json.ts';
import { isOver, type RunState } from '../run/state.ts';
import { answerSchema, toPayloads } from './answer.ts';

const POLL_MS = 250;

/** Looks into the inbox of a run while a node waits, and has the first answer to each question logged. */
export class InboxWatch {
  readonly #run: OpenRun<FlightEvent>;
  readonly #driver: () => Driver | null;
  #timer: NodeJS.Timeout | null = null;
  #isTaking = false;

  constructor(run: OpenRun<FlightEvent>, driver: () => Driver | null) {
    this.#run = run;
    this.#driver = driver;
  }

  /** Looks while the state has an open question. */
  follow(state: RunState): void {
    if (state.questions.size === 0 || isOver(state)) this.close();
    else this.#timer ??= setInterval(() => void this.#look(), POLL_MS);
  }

  /** Looks no more; what is posted from now on stays for whoever opens the run. */
  close(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }

  async #look(): Promise<void> {
    const driver = this.#driver();
    if (driver === null || this.#isTaking) return;
    this.#isTaking = true;
    try {
      await this.#run.takeInbox((posted) => this.#log(driver, posted));
    } catch {
      // It stays where it is and is looked at again, by this process or the next.
    } finally {
      this.#isTaking = false;
    }
  }

  /** Resolves once what the values ask for is durable; never, where the run ends before: they stay posted. */
  #log(driver: Driver, posted: readonly Json[]): Promise<void> {
    return new Promise((resolve, reject) => {
      for (const value of posted) driver.submitFrom((state) => readAnswer(state, value));
      driver.submitFrom((state) => {
        if (!isOver(state)) this.#run.log.whenDurable(state.lastSeq).then(resolve, reject);
        return [];
      });
    });
  }
}

function readAnswer(state: RunState, value: Json): EventPayload[] {
  const answer = answerSchema.safeParse(value);
  return answer.success && !isOver(state) ? toPayloads(state, answer.data) : [];
}
