import { canonicalJson } from '../kernel/canonical-json.ts';
import type { Json } from '../kernel/json.ts';
import type { ModelRequest } from './model.ts';

/**
 * A named block of a prompt that carries data: `<facts>` … `</facts>` on lines of their own, the value as JSON in
 * which `<` is escaped, so that no value can end its own block.
 */
export function section(name: string, value: Json): string {
  return `<${name}>\n${canonicalJson(value).replaceAll('<', '\\u003c')}\n</${name}>`;
}

/** The value of the last block of that name in the messages of a request; undefined where there is none. */
export function readSection(request: Pick<ModelRequest, 'messages'>, name: string): Json | undefined {
  for (const message of request.messages.toReversed()) {
    const texts =
      typeof message.content === 'string'
        ? [message.content]
        : message.content.flatMap((part) => (part.type === 'text' ? [part.text] : []));
    for (const text of texts.toReversed()) {
      const value = lastBlock(text, name);
      if (value !== undefined) return value;
    }
  }
  return undefined;
}

function lastBlock(text: string, name: string): Json | undefined {
  const escaped = name.replace(/[^\w-]/g, '\\$&');
  const begin = [...text.matchAll(new RegExp(`<${escaped}( fence="[0-9a-f]+")?[^<>\\n]*>\\n`, 'g'))].at(-1);
  if (begin === undefined) return undefined;
  const from = begin.index + begin[0].length;
  const end = text.indexOf(`\n</${name}${begin[1] ?? ''}>`, from);
  if (end < 0) return undefined;
  try {
    return JSON.parse(text.slice(from, end)) as Json;
  } catch {
    return undefined;
  }
}
