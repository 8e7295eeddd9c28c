// A deterministic stand-in for language models. It has no canned answers: the planner finds the tools in the catalogue
// that it is sent by what they take, and the extractor reads the text that it is sent.
import { defineMock, type Json, type MockKit } from 'sortie';
import { stepsIn } from './steps-in.ts';

interface CatalogueTool {
  readonly name: string;
  readonly description?: string;
  readonly input: { readonly properties?: Readonly<Record<string, unknown>> };
}

export default defineMock({
  name: 'deploy-mock',
  roles: {
    planner: (_request, kit) => drawPlan(kit),
    replanner: () => 'I know of no other plan for this goal with these tools.',
    extractor: (_request, kit) => JSON.stringify({ steps: stepsIn(textIn(kit, 'text')) }),
    finalizer: (_request, kit) => partialReport(kit),
    repairer: (_request, kit) => JSON.stringify(kit.section('args') ?? {}),
  },
});

/** Read, extract, render, write: each by the tool that takes what the one before gives. */
function drawPlan(kit: MockKit): string {
  const { readme, script } = inputsOf(kit);
  if (typeof readme !== 'string' || typeof script !== 'string')
    return 'I cannot draw a plan: the inputs name no "readme" and "script".';
  const tools = kit.section('catalogue');
  const find = (...keys: readonly string[]): string | undefined =>
    (Array.isArray(tools) ? (tools as unknown as readonly CatalogueTool[]) : []).find((tool) => {
      const { properties = {} } = tool.input;
      return (
        keys.every((key) => Object.hasOwn(properties, key)) && (keys.length > 1 || !('content' in properties))
      );
    })?.name;
  const [read, extract, render, write] = [find('path'), find('text'), find('steps'), find('path', 'content')];
  if (read === undefined || extract === undefined || render === undefined || write === undefined)
    return 'I cannot draw a plan: tools to read, extract, render and write are not all there.';
  const nodes = [
    { id: 'read', tool: read, args: { path: readme } },
    { id: 'steps', tool: extract, args: { text: { $ref: 'read' } } },
    { id: 'render', tool: render, args: { steps: { $ref: 'steps', path: '/steps' } } },
    { id: 'save', tool: write, args: { path: script, content: { $ref: 'render' } } },
  ];
  return JSON.stringify({ nodes, output: 'save' });
}

function inputsOf(kit: MockKit): Readonly<Record<string, Json>> {
  const inputs = kit.section('inputs');
  return typeof inputs === 'object' && inputs !== null && !Array.isArray(inputs)
    ? (inputs as Readonly<Record<string, Json>>)
    : {};
}

function textIn(kit: MockKit, name: string): string {
  const value = kit.section(name);
  return typeof value === 'string' ? value : '';
}

function partialReport(kit: MockKit): string {
  const results = kit.section('results');
  const count = Array.isArray(results) ? results.length : 0;
  return `The script was not written before the run ended; ${count} of its steps were done.`;
}
