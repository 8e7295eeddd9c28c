import { importBuilt } from './built.mjs';
import { code, pageHead, table } from './markdown.mjs';

const INTRO = `A plan is refused with every problem at once, each with its code, the node, a JSON pointer into the plan, a message
and a hint. The list goes back to the planner, \`limits.planRounds\` answers in all; a plan that was supplied
(\`run --plan\`) is refused with exit code 2. No tool runs before a plan is accepted.

The messages below are what the validator says of a small plan with that fault. What a plan looks like is in
[Plan file](plan-file.md).`;

const text = { type: 'string' };
const tool = (
  /** @type {string} */ name,
  /** @type {Record<string, unknown>} */ properties,
  output = text,
) => ({
  name,
  description: name,
  input: { type: 'object', properties, required: Object.keys(properties), additionalProperties: false },
  output,
  costHint: 1,
  effect: 'read',
});
const TOOLS = [
  tool('find_page', { query: text }, /** @type {any} */ ({ type: 'object', properties: { url: text } })),
  tool('write_report', { facts: { type: 'array' } }),
  tool('send_mail', { to: text }),
  { ...tool('fetch', { url: text }), argumentKinds: { url: 'url' } },
];

const find = { id: 'page', tool: 'find_page', args: { query: 'Lima' } };
const planOf = (/** @type {readonly unknown[]} */ nodes, output = 'page') =>
  JSON.stringify({ nodes, output });

/**
 * Each code with what it means and a plan that has the fault.
 * @type {Record<string, { means: string, plan: string, context?: Record<string, unknown>, widening?: Record<string, string[]> }>}
 */
const CASES = {
  not_json: { means: 'The answer holds no JSON object.', plan: 'First I would look for the page.' },
  truncated_json: {
    means: 'The JSON breaks off. It is not repaired: half a plan is none.',
    plan: planOf([find]).slice(0, -20),
  },
  ambiguous_json: {
    means: 'The answer holds two plans.',
    plan: `${planOf([find])}\nor\n${planOf([{ ...find, args: { query: 'Peru' } }])}`,
  },
  invalid_shape: {
    means: 'A key is unknown or missing, or a value has the wrong type.',
    plan: planOf([{ ...find, timeout: 5 }]),
  },
  empty_plan: { means: 'There is no node.', plan: planOf([]) },
  too_many_nodes: {
    means: 'There are more nodes than `limits.maxNodes`.',
    plan: planOf([find, { ...find, id: 'again' }]),
    context: { limits: { maxNodes: 1, foreachItems: 100 } },
  },
  duplicate_id: { means: 'Two nodes have the same id.', plan: planOf([find, find]) },
  unknown_tool: { means: 'The catalogue has no such tool.', plan: planOf([{ ...find, tool: 'find_pages' }]) },
  withheld_tool: {
    means: 'The tool exists, but `policy` keeps it from this run.',
    plan: planOf([{ id: 'page', tool: 'send_mail', args: { to: 'a@b.example' } }]),
    context: { withheld: new Set(['send_mail']) },
  },
  invalid_args: {
    means: 'Arguments break the input schema of the tool.',
    plan: planOf([{ ...find, args: { query: 5 } }]),
  },
  missing_dependency: {
    means: 'An id in `deps` is that of no node.',
    plan: planOf([{ ...find, deps: ['search'] }]),
  },
  bad_reference: {
    means: 'A `$ref` names no node, or a part that the result cannot have.',
    plan: planOf(
      [find, { id: 'report', tool: 'write_report', args: { facts: [{ $ref: 'page', path: '/title' }] } }],
      'report',
    ),
  },
  invalid_foreach: {
    means: '`foreach` does not name a list, or `$item` stands outside one.',
    plan: planOf([find, { id: 'each', tool: 'find_page', args: { query: { $item: '' } } }], 'each'),
  },
  cycle: {
    means: 'Nodes wait for each other.',
    plan: planOf([
      { ...find, deps: ['other'] },
      { ...find, id: 'other', deps: ['page'] },
    ]),
  },
  missing_output: { means: '`output` is the id of no node.', plan: planOf([find], 'report') },
  over_budget: {
    means: 'The plan takes more tool calls than the budget has left; a `foreach` counts at its bound.',
    plan: planOf([find, { ...find, id: 'again' }]),
    context: { remainingToolCalls: 1 },
  },
  unchanged_plan: {
    means: 'A replan is the plan that failed.',
    plan: planOf([find]),
    context: { previous: { nodes: [{ ...find, deps: [] }], output: 'page' } },
  },
  widened_plan: {
    means:
      'A replan adds tools, hosts, commands, recipients or irreversible calls, and policy or a person does not let it.',
    plan: '',
    widening: { tools: ['send_mail'], targets: ['host other.example'], irreversible: [] },
  },
  forbidden_args: {
    means: 'An argument names a path, host or command that policy does not permit.',
    plan: planOf([{ ...find, tool: 'fetch', args: { url: 'https://other.example/' } }]),
    context: { policy: { hosts: { allow: ['example.com'], deny: [] } } },
  },
  unused_node: {
    means: 'A warning: the output does not need this node. It runs nevertheless.',
    plan: planOf([find, { ...find, id: 'spare' }]),
  },
};

/** @param {string} root */
export async function renderPlanProblemsPage(root) {
  const { PLAN_PROBLEM_CODES } = await importBuilt(root, 'contracts/plan.js');
  const { interpretPlan } = await importBuilt(root, 'planner/interpret-plan.js');
  const { widenedProblem } = await importBuilt(root, 'run/widened-problem.js');
  /** @type {readonly string[]} */
  const codes = PLAN_PROBLEM_CODES;
  const rows = codes.map((name) => {
    const example = CASES[name];
    if (example === undefined) throw new Error(`no description of the plan problem ${name}`);
    const { widening } = example;
    const problem =
      widening === undefined ? problemOf(name, example, interpretPlan) : widenedProblem(widening);
    return [
      `<a id="${name}"></a>${code(name)}`,
      example.means,
      problem.pointer === '' ? 'whole plan' : code(problem.pointer),
      problem.message,
      problem.hint ?? '–',
    ];
  });
  return [
    pageHead('Plan problems', 'src/contracts/plan.ts and the validator', INTRO),
    table(['code', 'means', 'at', 'message', 'hint'], rows),
  ].join('\n\n');
}

/**
 * @param {string} name
 * @param {{ plan: string, context?: Record<string, unknown> }} example
 * @param {(text: string, context: unknown) => any} interpretPlan
 * @returns {{ code: string, pointer: string, message: string, hint?: string }}
 */
function problemOf(name, { plan, context = {} }, interpretPlan) {
  const result = interpretPlan(plan, {
    tools: new Map(TOOLS.map((spec) => [spec.name, spec])),
    withheld: new Set(),
    limits: { maxNodes: 100, foreachItems: 100 },
    ...context,
  });
  const found = [...(result.problems ?? []), ...result.warnings];
  const problem = found.find(({ code: foundCode }) => foundCode === name);
  if (problem === undefined) {
    const others = found.map(({ code: foundCode }) => foundCode).join(', ');
    throw new Error(`the plan for ${name} has other problems: ${others || 'none'}`);
  }
  return problem;
}
