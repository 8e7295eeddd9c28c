/*
 * A plan schema for models that have to be led: everything in it is bounded. Nodes stand at fixed places with ids given
 * beforehand, so that a reference can only name a node before it and no cycle can be written. The last node gives the
 * answer and takes in all the others. How many nodes there are is said first, by the output.
 *
 * What it leaves out of the grammar of plans: parts of results, `foreach`, `$text`, optional nodes, and arguments that a
 * tool can do without. Whatever it admits is checked like any other plan.
 */
import type { JsonSchema } from '../contracts/schema.ts';
import type { ToolSpec } from '../contracts/tool.ts';
import { isJsonObject, type Json, type JsonObject } from '../kernel/json.ts';
import { BoundedSchema, isOpenList, type Places, referenceTo } from './bounded-schema.ts';
import { Definitions } from './definitions.ts';
import { textsIn } from './texts-in.ts';

/** Most nodes that a model is led through: each place has a schema of its own. */
const MOST_PLACES = 12;

/** What a strict plan schema is made from. */
export interface StrictPlan {
  readonly tools: readonly ToolSpec[];
  /** The texts in here are what texts among the arguments are chosen from; where there is none they are free. */
  readonly inputs: JsonObject;
  readonly maxNodes: number;
  /** How many nodes there are; where not given the model chooses. */
  readonly nodes?: number;
  /** Ids of the plan before, where there is one, and which of its nodes have results. */
  readonly taken: readonly string[];
  readonly done: readonly string[];
}

/** The bounded, positional schema of a plan over a catalogue. */
export function strictPlanSchema(strict: StrictPlan): JsonSchema {
  const { tools, inputs, taken, done } = strict;
  const most = Math.max(1, Math.min(strict.maxNodes, strict.nodes ?? MOST_PLACES));
  const ids = freeIds(most, new Set(taken));
  const finals = finalTools(tools);
  const steps = tools.filter((tool) => !finals.includes(tool));
  // A node that takes in others has nothing to take in where it stands alone.
  const isLoneUseful = steps.length === 0 || done.length > 0;
  const least = Math.min(most, strict.nodes ?? (isLoneUseful ? 1 : 2));
  const definitions = new Definitions();
  const texts = textsIn(inputs);
  const places = ids.map((_, index) => ({
    earlier: [...done, ...ids.slice(0, index)],
    givers: steps.length > 0 ? steps : tools,
    texts,
  }));
  const stepNodes = places.map((place, index) =>
    definitions.add(anyNode(ids[index] ?? '', startable(place), place, definitions, stepArgs)),
  );
  const plans = ids.slice(least - 1).map((output, offset) => {
    const index = least - 1 + offset;
    const last = anyNode(output, finals, places[index] as Places, definitions, lastArgs);
    return planOf(output, [...stepNodes.slice(0, index), last]);
  });
  const [only] = plans;
  const root = plans.length === 1 && only !== undefined ? only : { anyOf: plans };
  return { ...root, $defs: definitions.all() };
}

function planOf(output: string, nodes: readonly JsonObject[]): JsonObject {
  return closed({ output: { const: output }, nodes: exactly(nodes) });
}

function freeIds(count: number, taken: ReadonlySet<string>): string[] {
  const ids: string[] = [];
  for (let number = 1; ids.length < count; number++) if (!taken.has(`n${number}`)) ids.push(`n${number}`);
  return ids;
}

/** The tools that may give the answer: those that take a list of any results, of them those that give a text; else all. */
function finalTools(tools: readonly ToolSpec[]): readonly ToolSpec[] {
  const collecting = tools.filter(isCollecting);
  const writing = collecting.filter(({ output }) => isJsonObject(output) && output['type'] === 'string');
  return [writing, collecting, tools].find((list) => list.length > 0) ?? [];
}

function isCollecting({ input }: ToolSpec): boolean {
  if (!isJsonObject(input) || !isJsonObject(input['properties'])) return false;
  const required = Array.isArray(input['required']) ? (input['required'] as readonly Json[]) : [];
  return Object.entries(input['properties']).some(
    ([name, schema]) => required.includes(name) && isOpenList(schema),
  );
}

/** Without a node before it none can be started that takes results alone. */
function startable({ earlier, givers }: Places): readonly ToolSpec[] {
  const starting = earlier.length > 0 ? givers : givers.filter((tool) => !isCollecting(tool));
  return starting.length > 0 ? starting : givers;
}

type ArgsOf = (
  tool: ToolSpec,
  places: Places,
  definitions: Definitions,
) => { readonly args: JsonObject; readonly deps: JsonObject | null };

function anyNode(
  id: string,
  tools: readonly ToolSpec[],
  places: Places,
  definitions: Definitions,
  argsOf: ArgsOf,
): JsonObject {
  const nodes = tools.map((tool) => {
    const { args, deps } = argsOf(tool, places, definitions);
    return closed({
      id: { const: id },
      tool: { const: tool.name },
      args: definitions.add(args),
      ...(deps === null ? {} : { deps }),
    });
  });
  const [only] = nodes;
  return nodes.length === 1 && only !== undefined ? only : { anyOf: nodes };
}

/** A call that changes the world may have to wait for others; a look-up waits for what it refers to. */
const stepArgs: ArgsOf = (tool, places) => {
  const { earlier } = places;
  const mayWait = tool.effect !== 'read' && earlier.length > 0;
  return {
    args: new BoundedSchema(tool.input, places).args(),
    deps: mayWait ? { type: 'array', items: { enum: earlier }, minItems: 0, maxItems: earlier.length } : null,
  };
};

/** The last node takes in every result: by a list of any values where it has one, else by waiting for all. */
const lastArgs: ArgsOf = (tool, places, definitions) => {
  const { earlier } = places;
  const bounded = new BoundedSchema(tool.input, places);
  if (earlier.length === 0) return { args: bounded.args(), deps: null };
  if (!isCollecting(tool)) {
    return { args: bounded.args(), deps: exactly(earlier.map((id) => ({ const: id }))) };
  }
  const all = exactly(earlier.map((id) => definitions.add(referenceTo([id]))));
  return { args: bounded.args((schema) => (isOpenList(schema) ? all : null)), deps: null };
};

/** A list of these items, in this order. */
function exactly(items: readonly JsonObject[]): JsonObject {
  return { type: 'array', prefixItems: items, minItems: items.length, maxItems: items.length };
}

/** An object of these members and no others. */
function closed(properties: JsonObject): JsonObject {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}
