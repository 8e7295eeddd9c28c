import type { ModelRequest } from '../contracts/model.ts';

const BYTES_PER_TOKEN = 3;
const TOKENS_PER_MESSAGE = 8;

/** Input tokens of a request, estimated high (UTF-8 bytes / 3, with a little for each message) to reserve by. */
export function estimateInputTokens(request: Pick<ModelRequest, 'messages' | 'format' | 'tools'>): number {
  let bytes = 0;
  for (const message of request.messages) {
    bytes += TOKENS_PER_MESSAGE * BYTES_PER_TOKEN;
    if (typeof message.content === 'string') bytes += utf8Length(message.content);
    else
      for (const part of message.content) bytes += utf8Length(part.type === 'text' ? part.text : part.data);
    if (message.role === 'assistant' && message.toolCalls !== undefined) {
      bytes += utf8Length(JSON.stringify(message.toolCalls));
    }
  }
  if (request.format !== undefined) bytes += utf8Length(JSON.stringify(request.format.schema));
  if (request.tools !== undefined) bytes += utf8Length(JSON.stringify(request.tools));
  return Math.ceil(bytes / BYTES_PER_TOKEN);
}

function utf8Length(text: string): number {
  let length = text.length;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit > 0x7f) length += unit > 0x7ff && (unit < 0xd800 || unit > 0xdfff) ? 2 : 1;
  }
  return length;
}
