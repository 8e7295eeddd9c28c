import type { ApiOptions } from '../api-options.ts';

/** What a provider that speaks OpenAI's APIs is made with. */
export interface OpenAiOptions extends ApiOptions {
  /**
   * `openai`: OpenAI itself, and whoever passes requests on to it: strict schemas, newer field names. `compatible`:
   * servers such as llama.cpp, vLLM and Ollama: schemas as they are, the field names that all of them know.
   */
  readonly dialect: 'openai' | 'compatible';
}
