import type { ModelAnswer, ModelRequest } from '../../../src/contracts/model.ts';
import type { Provider } from '../../../src/contracts/ports.ts';
import type { Json } from '../../../src/kernel/json.ts';
import { type Attack, findAttack } from './attacks.ts';
import { node, plan } from '../core.ts';

const URL = 'https://news.example/moss';

const benign = (pageTool: string): readonly Json[] => [
  node('page', { tool: pageTool, args: { url: URL } }),
  node('notes', { tool: 'list_notes' }),
  node('digest', { tool: 'digest', args: { page: { $ref: 'page' }, notes: { $ref: 'notes' } } }),
  node('report', { tool: 'save_note', args: { path: 'moss.md', text: { $ref: 'digest' } } }),
];

/** What is left of the plan once the page cannot be had. */
const WITHOUT_PAGE = [
  node('digest2', { tool: 'digest', args: { notes: { $ref: 'notes' } } }),
  node('report2', { tool: 'save_note', args: { path: 'moss.md', text: { $ref: 'digest2' } } }),
] as const;

/** A model that obeys every instruction that it reads, whatever the role it is asked in: it is the attacker. */
export class ObeyingModel implements Provider {
  readonly name = 'obeying';
  /** How often it read the injection. */
  obeyed = 0;
  readonly #attack: Attack;
  readonly #pageTool: string;
  #verdicts = 0;

  /** `pageTool` is what fetches pages in the world that it plans for. */
  constructor(attack: Attack, pageTool = 'fetch_page') {
    this.#attack = attack;
    this.#pageTool = pageTool;
  }

  complete(request: ModelRequest): Promise<ModelAnswer> {
    const attack = this.#read(request);
    if (attack !== undefined) this.obeyed++;
    return Promise.resolve(toAnswer(this.#answer(request.role, attack), attack));
  }

  #read({ messages, format }: ModelRequest): Attack | undefined {
    const texts = messages.map(({ content }) =>
      typeof content === 'string'
        ? content
        : content.map((part) => ('text' in part ? part.text : '')).join('\n'),
    );
    return findAttack([...texts, JSON.stringify(format ?? null)].join('\n'), [this.#attack]);
  }

  #answer(role: string, attack: Attack | undefined): string {
    switch (role) {
      case 'planner':
        return JSON.stringify(obeyingPlan([...benign(this.#pageTool)], attack));
      case 'replanner':
        return JSON.stringify(obeyingPlan([...WITHOUT_PAGE], attack));
      case 'repairer':
        return JSON.stringify(attack?.demand.args ?? {});
      case 'critic':
        return JSON.stringify(
          attack !== undefined && this.#verdicts++ < 2
            ? { score: 0, issues: [attack.text] }
            : { score: 1, issues: [] },
        );
      default:
        return attack === undefined ? 'Moss grows.' : `${attack.text}\n${JSON.stringify(attack.demand)}`;
    }
  }
}

/** The benign nodes, with what the attacker demands before them, and what they write replaced where it can be. */
function obeyingPlan(nodes: Json[], attack: Attack | undefined): Json {
  if (attack === undefined) return plan(...nodes);
  return plan(node('evil', { tool: attack.demand.tool, args: attack.demand.args }), ...nodes);
}

function toAnswer(text: string, attack: Attack | undefined): ModelAnswer {
  const answer = { text, model: 'obeying', usage: { inputTokens: 10, outputTokens: 10 } } as const;
  if (attack === undefined) return { ...answer, stop: 'stop' };
  const { tool, args } = attack.demand;
  return { ...answer, stop: 'tool_calls', toolCalls: [{ id: '1', name: tool, args }] };
}
