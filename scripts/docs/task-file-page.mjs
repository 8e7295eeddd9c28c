import { importBuilt } from './built.mjs';
import { describeMeaning, describeType } from './describe-schema.mjs';
import { code, pageHead, table } from './markdown.mjs';

/** @typedef {{ path: string, type: string, description: string, default?: unknown, choices?: readonly string[], env: string }} Option */

const INTRO = `A task file is YAML (or JSON) in UTF-8. It is read strictly: an unknown key, a wrong type or a value out of range
is a problem, and all problems are reported together as \`file:line:column path: problem\`. Keys that begin with \`x-\`
are yours. \`orchestrate check FILE\` checks a file without any call; \`orchestrate schema\` prints the JSON Schema, which
editors take.

A value is taken from the flag, else from the environment variable, else from the file, else from the default. Each
field is a flag by its path (\`--budget.toolCalls=3\`); \`--input name=value\` sets an input, its type being that of the
value in the file. Lists are split at commas; what is JSON is read as JSON.

In \`goal\`, \`verify.rubric\` and in the texts of \`verify.checks\`, \`{{name}}\` stands for the input of that name.`;

const CHECKS_INTRO = `Each entry of \`verify.checks\` has exactly one key. Checks run in order, cost no tokens, and all of them are run.`;

const SERVERS_INTRO = `Each entry of \`mcp\` is a server: a program with a \`command\` (stdio), or an address with a \`url\` (HTTP). See
[Use MCP servers](../how-to/mcp.md).`;

/** @param {string} root */
export async function renderTaskFilePage(root) {
  const { listTaskOptions } = await importBuilt(root, 'config/task-options.js');
  const { mcpSchema } = await importBuilt(root, 'contracts/mcp.js');
  const { checkSchema, taskSchema } = await importBuilt(root, 'contracts/task.js');
  /** @type {readonly Option[]} */
  const options = listTaskOptions();
  const required = Object.keys(taskSchema.shape).filter(
    (key) => !taskSchema.shape[key].safeParse(undefined).success,
  );
  /** @type {Map<string, Option[]>} */
  const sections = new Map();
  for (const option of options) {
    const [first = '', ...rest] = option.path.split('.');
    const title = rest.length === 0 ? '' : first;
    sections.set(title, [...(sections.get(title) ?? []), option]);
  }
  const parts = [...sections].map(([title, fields]) =>
    [`## ${title === '' ? 'Top level' : code(title)}`, renderFields(fields, required)].join('\n\n'),
  );
  const checks = checkSchema.options.map((/** @type {any} */ option) => {
    const [[name, schema] = ['', undefined]] = Object.entries(option.shape);
    return [code(name), describeType(schema, new Map()), describeMeaning(option)];
  });
  return [
    pageHead('Task file', 'src/contracts/task.ts and src/config/task-options.ts', INTRO),
    `Required are ${required.map(code).join(', ')}.`,
    ...parts,
    '## Checks',
    CHECKS_INTRO,
    table(['check', 'takes', 'holds where'], checks),
    '## MCP servers',
    SERVERS_INTRO,
    renderServers(mcpSchema.valueType.options),
  ].join('\n\n');
}

/**
 * @param {readonly any[]} kinds the schema of a program, and that of an address
 */
function renderServers([stdio, http]) {
  const names = new Set([...Object.keys(stdio.shape), ...Object.keys(http.shape)]);
  const rows = [...names].map((name) => {
    const isOfBoth = name in stdio.shape && name in http.shape;
    const schema = stdio.shape[name] ?? http.shape[name];
    const parsed = schema.safeParse(undefined);
    const fallback = !parsed.success
      ? 'required'
      : parsed.data === undefined
        ? '–'
        : code(JSON.stringify(parsed.data));
    const kind = isOfBoth ? 'both' : name in stdio.shape ? 'stdio' : 'HTTP';
    return [code(name), kind, describeType(schema, new Map()), fallback, describeMeaning(schema)];
  });
  return table(['field', 'of', 'type', 'default', 'meaning'], rows);
}

/**
 * @param {readonly Option[]} fields
 * @param {readonly string[]} required
 */
function renderFields(fields, required) {
  return table(
    ['field', 'type', 'default', 'meaning', 'environment variable'],
    fields.map((field) => [
      code(field.path),
      field.choices === undefined ? field.type : `${field.type}: ${field.choices.map(code).join(', ')}`,
      required.includes(field.path)
        ? 'required'
        : field.default === undefined
          ? '–'
          : code(JSON.stringify(field.default)),
      field.description,
      code(field.env),
    ]),
  );
}
