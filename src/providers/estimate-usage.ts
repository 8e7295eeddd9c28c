import {
  AUDIO_CHARS_PER_TOKEN,
  type ContentPart,
  type Message,
  type ModelRequest,
  MOST_TOKENS_OF_IMAGE,
  type ToolCall,
  type Usage,
} from '../contracts/model.ts';

const CHARS_PER_TOKEN = 4;

/** Usage where an API gives no figures: four characters a token, the same for the same request and answer. */
export function estimateUsage(request: ModelRequest, text: string, toolCalls: readonly ToolCall[]): Usage {
  const outputChars = toolCalls.reduce((sum, call) => sum + JSON.stringify(call).length, text.length);
  return {
    inputTokens: estimateInput(request),
    outputTokens: Math.ceil(outputChars / CHARS_PER_TOKEN),
    estimated: true,
  };
}

/** Tokens of what a model is given: a quarter of its characters, and for an image no more than one can cost. */
export function estimateInput({ messages, media }: Pick<ModelRequest, 'messages' | 'media'>): number {
  const recording = media?.kind === 'transcript' ? media.data.length / AUDIO_CHARS_PER_TOKEN : 0;
  return Math.ceil(
    messages.reduce((sum, message) => sum + charsOf(message), 0) / CHARS_PER_TOKEN + recording,
  );
}

function charsOf({ content }: Message): number {
  if (typeof content === 'string') return content.length;
  return content.reduce((sum, part) => sum + charsOfPart(part), 0);
}

function charsOfPart(part: ContentPart): number {
  if (part.type === 'text') return part.text.length;
  return Math.min(part.data.length, MOST_TOKENS_OF_IMAGE * CHARS_PER_TOKEN);
}
