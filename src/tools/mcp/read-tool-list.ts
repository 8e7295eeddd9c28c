import type { McpServerSettings } from '../../contracts/mcp.ts';
import { compileSchema } from '../../contracts/schema.ts';
import type { ToolSpec } from '../../contracts/tool.ts';
import { isJsonObject, type Json, type JsonObject, toPlainJson } from '../../kernel/json.ts';
import { cleanSchema, unseenIn } from './clean-schema.ts';
import { cleanText, quoteText } from './clean-text.ts';
import { headerFault } from './header-fault.ts';
import { isKnownPattern } from './known-patterns.ts';
import { isRiskyPattern } from './risky-pattern.ts';
import { sizeFault } from './schema-size.ts';
import { type ToolAnnotations, toolCaution } from './tool-caution.ts';
import { mcpToolName } from './tool-name.ts';

/** Most tools that are taken of one server: each stands in the planner's prompt. */
export const MAX_TOOLS = 500;
const MAX_DESCRIPTION_CHARS = 16_000;
const MAX_SCHEMA_CHARS = 100_000;
const MAX_SCHEMA_DEPTH = 64;
const MAX_NAME_CHARS = 256;

/** A tool of a server that is taken: what the catalogue says of it, and what the server calls it. */
export interface ListedTool {
  readonly spec: ToolSpec;
  readonly raw: string;
}

/** A tool that is there and cannot be called, and why. */
export interface QuarantinedTool {
  readonly tool: string;
  readonly reason: string;
}

/** What a server's list comes to, tool by tool. */
export interface ToolList {
  readonly tools: readonly ListedTool[];
  readonly quarantined: readonly QuarantinedTool[];
}

/** Reads a list tool by tool: one that is bad is quarantined with its reason, and the rest stay. */
export function readToolList(
  server: string,
  settings: McpServerSettings,
  listed: readonly unknown[],
): ToolList {
  const tools: ListedTool[] = [];
  const quarantined: QuarantinedTool[] = [];
  const entries = listed.map((entry, index) => ({ entry, index, raw: rawNameOf(entry) }));
  const wanted = settings.only === undefined ? null : new Set(settings.only);
  const counts = countNames(
    server,
    entries.map(({ raw }) => raw),
  );
  for (const { entry, index, raw } of entries) {
    if (wanted !== null && (raw === null || !wanted.has(raw))) continue;
    const tool = raw === null ? `${server}[${index}]` : mcpToolName(server, raw);
    if (tools.length >= MAX_TOOLS) {
      quarantined.push({ tool: `${server}[${index}…]`, reason: tooMany(listed.length) });
      break;
    }
    const read =
      raw === null ? 'its name is no text, empty or too long' : readTool(server, settings, raw, entry);
    if (typeof read === 'string') quarantined.push({ tool, reason: read });
    else if ((counts.get(tool) ?? 0) > 1)
      quarantined.push({ tool, reason: `several tools come to this name` });
    else tools.push(read);
  }
  for (const name of wanted ?? []) {
    if (entries.some(({ raw }) => raw === name)) continue;
    quarantined.push({ tool: mcpToolName(server, name), reason: 'the server has no such tool' });
  }
  return { tools, quarantined: unique(quarantined) };
}

function tooMany(count: number): string {
  return `the server lists ${count} tools, of which the first ${MAX_TOOLS} good ones are taken; name some under only`;
}

function rawNameOf(entry: unknown): string | null {
  const name = (entry as { name?: unknown } | null | undefined)?.name;
  if (typeof name !== 'string' || name.trim() === '' || name.length > MAX_NAME_CHARS) return null;
  return name;
}

function countNames(server: string, names: readonly (string | null)[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const raw of names) {
    if (raw === null) continue;
    const name = mcpToolName(server, raw);
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}

function unique(quarantined: readonly QuarantinedTool[]): QuarantinedTool[] {
  return [...new Map(quarantined.map((each) => [`${each.tool}\0${each.reason}`, each])).values()];
}

/** The tool, or why it is none. */
function readTool(
  server: string,
  settings: McpServerSettings,
  raw: string,
  entry: unknown,
): ListedTool | string {
  let plain: Json;
  try {
    plain = toPlainJson(entry);
  } catch {
    return 'it is no plain JSON';
  }
  if (!isJsonObject(plain)) return 'it is no object';
  const { title, description, inputSchema, outputSchema, annotations, execution } = plain;
  if (description !== undefined && typeof description !== 'string') return 'its description is no text';
  const text = cleanText(description ?? (typeof title === 'string' ? title : '')).trim() || raw;
  if (text.length > MAX_DESCRIPTION_CHARS)
    return `its description has more than ${MAX_DESCRIPTION_CHARS} characters`;
  if (isJsonObject(execution) && execution['taskSupport'] === 'required')
    return 'it can only be called as a task';
  const input = readSchema('inputSchema', inputSchema);
  if (typeof input === 'string') return input;
  const fault = 'url' in settings ? headerFault(input) : null;
  if (fault !== null) return `its inputSchema ${fault}`;
  if (outputSchema !== undefined && outputSchema !== null) {
    const output = readSchema('outputSchema', outputSchema);
    if (typeof output === 'string') return output;
    return { raw, spec: specOf(server, settings, { raw, text, input, output, annotations }) };
  }
  return { raw, spec: specOf(server, settings, { raw, text, input, annotations }) };
}

interface Parts {
  readonly raw: string;
  readonly text: string;
  readonly input: JsonObject;
  readonly output?: JsonObject;
  readonly annotations: Json | undefined;
}

function specOf(
  server: string,
  settings: McpServerSettings,
  { raw, text, input, output, annotations }: Parts,
): ToolSpec {
  return {
    name: mcpToolName(server, raw),
    description: text,
    input,
    ...(output === undefined ? {} : { output }),
    costHint: 1,
    ...toolCaution(settings, raw, hintsOf(annotations)),
    timeoutMs: settings.totalTimeoutMs,
  };
}

function hintsOf(annotations: Json | undefined): ToolAnnotations {
  if (!isJsonObject(annotations)) return {};
  const hint = (name: string): boolean | undefined => {
    const value = annotations[name];
    return typeof value === 'boolean' ? value : undefined;
  };
  return {
    readOnlyHint: hint('readOnlyHint'),
    destructiveHint: hint('destructiveHint'),
    idempotentHint: hint('idempotentHint'),
    openWorldHint: hint('openWorldHint'),
  };
}

/** The schema of an object, or what is wrong with it. */
function readSchema(where: string, listed: Json | undefined): JsonObject | string {
  if (!isJsonObject(listed)) return `its ${where} is no object`;
  if (listed['type'] !== 'object') return `its ${where} does not describe an object`;
  if (JSON.stringify(listed).length > MAX_SCHEMA_CHARS) return `its ${where} is too large`;
  const schema = cleanSchema(listed);
  const unseen = unseenIn(schema);
  if (unseen !== null) return `its ${where} has characters that cannot be seen in ${quoteText(unseen)}`;
  const fault = schemaFault(schema, 0) ?? sizeFault(schema);
  if (fault !== null) return `its ${where} ${fault}`;
  try {
    compileSchema(schema).safeParse({});
  } catch (error) {
    return `its ${where} cannot be used: ${quoteText(error instanceof Error ? error.message : String(error))}`;
  }
  return schema;
}

/** What of a schema would be dangerous to use. */
function schemaFault(value: Json, depth: number): string | null {
  if (depth > MAX_SCHEMA_DEPTH) return 'is nested too deeply';
  if (typeof value !== 'object' || value === null) return null;
  if (!Array.isArray(value)) {
    const { $ref, pattern, patternProperties } = value as JsonObject;
    if (typeof $ref === 'string' && !$ref.startsWith('#'))
      return `refers to another document: ${quoteText($ref)}`;
    // A list of one text would be taken for that text where it is compiled.
    if (pattern !== undefined && typeof pattern !== 'string' && !isJsonObject(pattern))
      return 'has a pattern that is no text';
    const patterns = [
      ...(typeof pattern === 'string' ? [pattern] : []),
      ...(isJsonObject(patternProperties) ? Object.keys(patternProperties) : []),
    ];
    const risky = patterns.find((each) => !isKnownPattern(each) && isRiskyPattern(each));
    if (risky !== undefined) return `has a pattern that might take for ever: ${quoteText(risky)}`;
  }
  for (const child of Object.values(value)) {
    const fault = schemaFault(child as Json, depth + 1);
    if (fault !== null) return fault;
  }
  return null;
}
