import type { Message, ModelRequest, ToolCall, Usage } from '../contracts/model.ts';

/** Usage where an API gives no figures: four characters a token, the same for the same request and answer. */
export function estimateUsage(request: ModelRequest, text: string, toolCalls: readonly ToolCall[]): Usage {
  const inputChars = request.messages.reduce((sum, message) => sum + charsOf(message), 0);
  const outputChars = toolCalls.reduce((sum, call) => sum + JSON.stringify(call).length, text.length);
  return {
    inputTokens: Math.ceil(inputChars / 4),
    outputTokens: Math.ceil(outputChars / 4),
    estimated: true,
  };
}

function charsOf({ content }: Message): number {
  if (typeof content === 'string') return content.length;
  return content.reduce((sum, part) => sum + (part.type === 'text' ? part.text.length : part.data.length), 0);
}
