import type { OpenAI } from 'openai';
import type {
  ImageTask,
  MediaTask,
  ModelAnswer,
  ModelRequest,
  TranscriptTask,
  Usage,
} from '../../contracts/model.ts';
import type { ProviderContext } from '../../contracts/ports.ts';
import { OrchestratorError } from '../../kernel/errors.ts';
import { isJsonObject, type JsonObject } from '../../kernel/json.ts';
import { estimateInput, estimateUsage } from '../estimate-usage.ts';
import { malformedAnswer, reportedError } from '../http/api-error.ts';
import { attempt } from '../http/attempt.ts';
import { objectAt, objectsAt, textAt } from '../http/json-fields.ts';
import { openClient } from './client.ts';
import type { OpenAiOptions } from './options.ts';
import { usageOfResponse } from './usage.ts';

/** The families of models that take a quality and a format, and always answer with the image itself. */
const IMAGE_MODELS = /^(?:[\w.-]+\/)?(?:gpt-image|chatgpt-image)/;

const AUDIO_TOKENS_PER_SECOND = 17;

/** An image or a transcript from OpenAI's APIs for them, in one attempt; the answer's text is the image in base64, or what was said. */
export async function makeMedia(
  options: OpenAiOptions,
  request: ModelRequest,
  media: MediaTask,
  given: ProviderContext,
): Promise<ModelAnswer> {
  refuseUnnamed(options, request);
  // Nothing comes in pieces, and an image may take longer than words are waited for.
  const whole = { ...options, isStreamed: false };
  const context: ProviderContext = {
    signal: given.signal,
    key: given.key,
    onUsage: (usage) => given.onUsage?.(usage),
  };
  return attempt(whole, context, async (line) => {
    const client = await openClient(options, line);
    const response =
      media.kind === 'image'
        ? await askForImage(client, request, media, line.signal)
        : await askForTranscript(client, request, media, line.signal);
    if (!isJsonObject(response)) throw malformedAnswer(options.name, 'the answer is no JSON object');
    if (isJsonObject(response['error'])) {
      throw reportedError({ provider: options.name, error: response['error'] });
    }
    return media.kind === 'image'
      ? toImageAnswer(response, request, options.name)
      : toTranscriptAnswer(response, request, options.name);
  });
}

/** A default model is one for words. */
function refuseUnnamed({ name }: OpenAiOptions, { model, role }: ModelRequest): void {
  if (model !== '') return;
  throw new OrchestratorError('model_bad_request', `no model is named for the role "${role}"`, {
    blame: 'user',
    hint: `Name one under \`models\` in the task file, such as ${role}: gpt-image-1 or gpt-4o-transcribe.`,
    details: { provider: name, role },
  });
}

function askForImage(
  client: OpenAI,
  request: ModelRequest,
  { size, quality, mediaType }: ImageTask,
  signal: AbortSignal,
): Promise<unknown> {
  const form = IMAGE_MODELS.test(request.model)
    ? { quality, output_format: mediaType.replace('image/', '') }
    : { response_format: 'b64_json' };
  const body = { model: request.model, prompt: promptOf(request), n: 1, size, ...form };
  return client.post<unknown>('/images/generations', { body, signal });
}

async function askForTranscript(
  client: OpenAI,
  request: ModelRequest,
  { mediaType, data, language }: TranscriptTask,
  signal: AbortSignal,
): Promise<unknown> {
  const { toFile } = await import('openai');
  const prompt = promptOf(request);
  const name = `recording.${mediaType.replace(/^.*\//, '')}`;
  return client.audio.transcriptions.create(
    {
      file: await toFile(Buffer.from(data, 'base64'), name, { type: mediaType }),
      model: request.model,
      response_format: 'json',
      ...(language === undefined ? {} : { language }),
      ...(prompt === '' ? {} : { prompt }),
    },
    { signal },
  );
}

/** Everything that was said to the model, as text. */
function promptOf({ messages }: ModelRequest): string {
  const texts = messages.map(({ content }) =>
    typeof content === 'string'
      ? content
      : content.map((part) => (part.type === 'text' ? part.text : '')).join('\n'),
  );
  return texts.join('\n\n').trim();
}

function toImageAnswer(response: JsonObject, request: ModelRequest, provider: string): ModelAnswer {
  const text = textAt(objectsAt(response, 'data')[0] ?? {}, 'b64_json');
  if (text === '') throw malformedAnswer(provider, 'the answer holds no image');
  const usage = usageOfResponse(objectAt(response, 'usage')) ?? {
    inputTokens: estimateInput(request),
    outputTokens: request.maxOutputTokens,
    estimated: true,
  };
  return { text, stop: 'stop', usage, model: request.model, provider };
}

function toTranscriptAnswer(response: JsonObject, request: ModelRequest, provider: string): ModelAnswer {
  const { text } = response;
  if (typeof text !== 'string') throw malformedAnswer(provider, 'the answer holds no text');
  return { text, stop: 'stop', usage: usageOfTranscript(response, request), model: request.model, provider };
}

/** Some models count tokens, others seconds. */
function usageOfTranscript(response: JsonObject, request: ModelRequest): Usage {
  const usage = objectAt(response, 'usage');
  const estimated = estimateUsage(request, textAt(response, 'text'), []);
  const { seconds } = usage;
  if (typeof seconds !== 'number') return usageOfResponse(usage) ?? estimated;
  return { ...estimated, inputTokens: Math.ceil(seconds * AUDIO_TOKENS_PER_SECOND) };
}
