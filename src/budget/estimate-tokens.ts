import {
  AUDIO_CHARS_PER_TOKEN,
  type ContentPart,
  type ModelRequest,
  MOST_TOKENS_OF_IMAGE,
} from '../contracts/model.ts';

const BYTES_PER_TOKEN = 3;
const TOKENS_PER_MESSAGE = 8;

/** Input tokens of a request, estimated high (UTF-8 bytes / 3, with a little for each message) to reserve by. */
export function estimateInputTokens(
  request: Pick<ModelRequest, 'messages' | 'format' | 'media' | 'tools'>,
): number {
  let bytes = 0;
  for (const message of request.messages) {
    bytes += TOKENS_PER_MESSAGE * BYTES_PER_TOKEN;
    if (typeof message.content === 'string') bytes += utf8Length(message.content);
    else for (const part of message.content) bytes += bytesOf(part);
    if (message.role === 'assistant' && message.toolCalls !== undefined) {
      bytes += utf8Length(JSON.stringify(message.toolCalls));
    }
  }
  if (request.format !== undefined) bytes += utf8Length(JSON.stringify(request.format.schema));
  if (request.tools !== undefined) bytes += utf8Length(JSON.stringify(request.tools));
  return Math.ceil(bytes / BYTES_PER_TOKEN) + tokensOfRecording(request);
}

function tokensOfRecording({ media }: Pick<ModelRequest, 'media'>): number {
  return media?.kind === 'transcript' ? Math.ceil(media.data.length / AUDIO_CHARS_PER_TOKEN) : 0;
}

function bytesOf(part: ContentPart): number {
  if (part.type === 'text') return utf8Length(part.text);
  return Math.min(part.data.length, MOST_TOKENS_OF_IMAGE * BYTES_PER_TOKEN);
}

function utf8Length(text: string): number {
  let length = text.length;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit > 0x7f) length += unit > 0x7ff && (unit < 0xd800 || unit > 0xdfff) ? 2 : 1;
  }
  return length;
}
