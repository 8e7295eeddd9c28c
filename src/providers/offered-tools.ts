import type { ModelRequest } from '../contracts/model.ts';
import type { JsonObject } from '../kernel/json.ts';
import { adaptToolSchema } from './schema/adapt-schema.ts';
import { wireName } from './tool-names.ts';

/** A tool as it goes over the wire. */
export interface WireTool {
  readonly name: string;
  readonly description: string;
  readonly schema: JsonObject;
}

/** The tools of a request as APIs take them, and the way back from their names. */
export interface OfferedTools {
  readonly tools: readonly WireTool[];
  readonly toolOfWireName: ReadonlyMap<string, string>;
}

/** The tools of a request, adapted; one that no API could take is left out with a warning. */
export function offerTools(request: ModelRequest, warn: (text: string) => void): OfferedTools {
  const tools: WireTool[] = [];
  const toolOfWireName = new Map<string, string>();
  for (const { name, description, input } of request.tools ?? []) {
    const schema = adaptToolSchema(input);
    if (schema === null) {
      warn(`tool ${name} is left out: its arguments are no JSON object, and models can pass nothing else`);
      continue;
    }
    const onWire = wireName(name);
    tools.push({ name: onWire, description, schema });
    toolOfWireName.set(onWire, name);
  }
  return { tools, toolOfWireName };
}
