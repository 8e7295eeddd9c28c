import { type Ledger, releaseToolCall, reserve, settle } from '../budget/ledger.ts';
import type { FlightEvent } from '../flight/events.ts';
import { isHandedOn } from '../run/crew-state.ts';

const ONE_TOOL_CALL = { toolCalls: 1 };

/** The tool calls of agents in the books of a run. */
export class AgentBooks {
  readonly #open = new Set<string>();

  /** Books what an event begins or ends. */
  read(event: FlightEvent, ledger: Ledger): void {
    if (event.type === 'call.started' && !isHandedOn(event.tool)) {
      this.#open.add(event.key);
      reserve(ledger, ONE_TOOL_CALL);
    } else if (event.type === 'call.amended') {
      if (this.#open.delete(event.key)) releaseToolCall(ledger);
    } else if (
      (event.type === 'call.returned' || event.type === 'call.failed') &&
      this.#open.delete(event.key)
    ) {
      settle(ledger, ONE_TOOL_CALL, ONE_TOOL_CALL);
    }
  }

  /** Books what was under way when its process ended. */
  lose(ledger: Ledger): void {
    for (let count = this.#open.size; count > 0; count--) settle(ledger, ONE_TOOL_CALL, ONE_TOOL_CALL);
    this.#open.clear();
  }
}
