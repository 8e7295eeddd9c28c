import { OrchestratorError } from '../../src/kernel/errors.ts';
import { ScriptedProvider } from '../../src/testing.ts';
import { askingTool, echoTool, node, plan } from '../support/core.ts';
import type { Scenarios } from './scenario.ts';

const CITY_COMPARE = 'examples/city-compare/city-compare.yaml';

/** A tool that is busy at its first call. */
function busyOnce(): ReturnType<typeof echoTool> {
  let calls = 0;
  return echoTool('busy', {
    run: (args) => {
      if (++calls === 1) throw new OrchestratorError('tool_transient', 'busy');
      return args;
    },
  });
}

/* One run each: the example on real data, and a run with a bit of everything. */
export const scenarios: Scenarios = {
  'city-compare': () => ({ task: CITY_COMPARE }),
  'city-compare-atlantis': () => ({ task: CITY_COMPARE, flags: { 'input.cities': 'Lima,Atlantis' } }),
  'city-compare-stopped': () => ({ task: CITY_COMPARE, flags: { 'budget.llmCalls': '1' } }),
  'retry-foreach-revision': () => ({
    task: {
      name: 'mixed',
      goal: 'Write about Lima.',
      limits: { backoffMs: 1 },
      verify: { judge: 'required', checks: [{ includes: 'Lima' }] },
    },
    workspace: '/workspace',
    tools: [echoTool(), busyOnce(), askingTool],
    provider: new ScriptedProvider([
      {
        role: 'planner',
        reply: JSON.stringify(
          plan(
            node('list', { tool: 'busy', args: { value: ['a', 'b'] } }),
            node('each', { args: { value: { $item: '' } }, foreach: { $ref: 'list', path: '/value' } }),
            node('extra', { optional: true, args: { value: { $ref: 'list', path: '/nowhere' } } }),
            node('report', { tool: 'write', args: { about: [{ $ref: 'each' }, { $ref: 'extra' }] } }),
          ),
        ),
      },
      { role: 'writer', reply: 'About Rome.' },
      { role: 'writer', reply: 'About Lima.' },
      { role: 'critic', reply: '{"score": 0.9, "issues": []}' },
    ]),
  }),
};
