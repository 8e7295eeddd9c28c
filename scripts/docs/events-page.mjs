import { importBuilt } from './built.mjs';
import { describeMeaning, describeType, isOptional } from './describe-schema.mjs';
import { code, pageHead, table } from './markdown.mjs';

const INTRO = `A run is a log of these events; see [A run is a log](../explanation/a-run-is-a-log.md). An event is **recorded**
where it is an input (it cannot be known from the events before it) or **computed** where it follows from them. A replay
computes the second kind again and compares; of a recorded event it recomputes only the \`digest\` of \`node.done\`.

Every event has \`seq\` (its place, from 0), \`at\` (epoch milliseconds with fractions) and \`type\`. In \`flight.jsonl\` an
event is one line: \`v\` (version of the format), the fields, \`blobs\` (names of the fields whose value is too long and
lies in \`blobs/\` by its SHA-256), \`durable\` (the last \`seq\` that was synced when the line was written) and \`sum\`
(a checksum chained over the line before).`;

/** @param {string} root */
export async function renderEventsPage(root) {
  const { eventSchemas, provenanceOf } = await importBuilt(root, 'flight/events.js');
  const shapes = await namedShapes(root);
  const named = new Map(shapes.map(({ schema, name, link }) => [schema, link ?? `[${name}](#${name})`]));
  const { taskSchema } = await importBuilt(root, 'contracts/task.js');
  const { jsonValue } = await importBuilt(root, 'contracts/json-value.js');
  named.set(taskSchema, '[task](task-file.md), defaults filled in');
  named.set(jsonValue, 'any JSON');
  const types = Object.keys(eventSchemas);
  const overview = types.map((type) => [
    `[${code(type)}](#${type.replaceAll('.', '')})`,
    kindOf(type, eventSchemas, provenanceOf),
    describeMeaning(eventSchemas[type]),
  ]);
  const sections = types.map((type) =>
    [
      `### ${code(type)}`,
      `${describeMeaning(eventSchemas[type])} (${kindOf(type, eventSchemas, provenanceOf)})`,
      renderFields(eventSchemas[type].shape, named, ['seq', 'at', 'type']),
    ]
      .filter((part) => part !== '')
      .join('\n\n'),
  );
  const shared = shapes.map(({ schema, name }) =>
    [`### ${name}`, renderFields(schema.shape, named)].join('\n\n'),
  );
  return [
    pageHead('Events', 'src/flight/events.ts', INTRO),
    table(['event', 'kind', 'meaning'], overview),
    '## Fields',
    ...sections,
    '## Shared shapes',
    ...shared,
  ].join('\n\n');
}

/**
 * Recorded or computed, and where it depends on who did it, on whom.
 * @param {string} type
 * @param {Record<string, any>} eventSchemas
 * @param {(event: { type: string, by?: string }) => string} provenanceOf
 */
function kindOf(type, eventSchemas, provenanceOf) {
  const kind = provenanceOf({ type });
  /** @type {readonly string[]} */
  const agents = eventSchemas[type].shape.by?.options ?? [];
  const others = agents.filter((by) => provenanceOf({ type, by }) !== kind);
  if (others.length === 0) return kind;
  const other = kind === 'computed' ? 'recorded' : 'computed';
  return `${kind}; ${other} where \`by\` is ${others.map(code).join(' or ')}`;
}

/**
 * @param {Record<string, any>} shape
 * @param {ReadonlyMap<unknown, string>} named
 * @param {readonly string[]} left
 */
function renderFields(shape, named, left = []) {
  const rows = Object.entries(shape)
    .filter(([name]) => !left.includes(name))
    .map(([name, schema]) => [
      `${code(name)}${isOptional(schema) ? ' (optional)' : ''}`,
      describeType(schema, named),
      describeMeaning(schema),
    ]);
  return rows.length === 0 ? '' : table(['field', 'type', 'meaning'], rows);
}

/**
 * @param {string} root
 * @returns {Promise<{ schema: any, name: string, link?: string }[]>}
 */
async function namedShapes(root) {
  const budget = await importBuilt(root, 'contracts/budget.js');
  const failure = await importBuilt(root, 'contracts/failure.js');
  const model = await importBuilt(root, 'contracts/model.js');
  const plan = await importBuilt(root, 'contracts/plan.js');
  const tool = await importBuilt(root, 'contracts/tool.js');
  const verdict = await importBuilt(root, 'contracts/verdict.js');
  return [
    { schema: failure.failureSchema, name: 'failure' },
    { schema: budget.reservationSchema, name: 'reservation' },
    { schema: model.modelAnswerSchema, name: 'answer' },
    { schema: model.usageSchema, name: 'usage' },
    { schema: model.askRequestSchema, name: 'question' },
    { schema: tool.toolSpecSchema, name: 'tool' },
    { schema: plan.acceptedNodeSchema, name: 'node' },
    { schema: plan.planProblemSchema, name: 'problem' },
    { schema: plan.planEstimateSchema, name: 'estimate' },
    { schema: verdict.verdictSchema, name: 'verdict' },
    { schema: verdict.checkResultSchema, name: 'check-result' },
  ];
}
