import type { Price } from '../contracts/budget.ts';

/**
 * When the list prices below were collected, and the pages that they can be compared with. They come from copies of
 * those pages and from what others report of them; those of older OpenAI models are the least certain.
 */
export const PRICES_READ = {
  on: '2026-11-30',
  from: [
    'https://platform.claude.com/docs/en/about-claude/pricing',
    'https://developers.openai.com/api/docs/pricing',
  ],
} as const;

/** US dollars per million tokens: input, output, read from the cache, written to it (for five minutes). */
function price(input: number, output: number, cacheRead: number, cacheWrite = input): Price {
  return {
    inputPerMTok: input,
    outputPerMTok: output,
    cacheReadPerMTok: cacheRead,
    cacheWritePerMTok: cacheWrite,
  };
}

/** The price with another one for calls whose prompt is longer. */
function tiered(base: Price, aboveInputTokens: number, long: Price): Price {
  return { ...base, longPrompt: { aboveInputTokens, ...long } };
}

/** OpenAI's newer models: writing to the cache costs a quarter more; above 272 000 tokens input doubles, output half more. */
function newerOpenAi(input: number, output: number, cacheRead: number): Price {
  return tiered(
    price(input, output, cacheRead, input * 1.25),
    272_000,
    price(input * 2, output * 1.5, cacheRead * 2, input * 2.5),
  );
}

const OPUS_4_5 = price(5, 25, 0.5, 6.25);
const FABLE_5_1 = price(10, 50, 0.25, 12.5);
const FABLE_5 = price(10, 50, 1, 12.5);
const SONNET_4 = price(3, 15, 0.3, 3.75);

/** Anthropic's list prices. */
export const ANTHROPIC_PRICES: ReadonlyMap<string, Price> = new Map([
  ['claude-fable-5-1', FABLE_5_1],
  ['claude-mythos-5-1', FABLE_5_1],
  ['claude-fable-5', FABLE_5],
  ['claude-mythos-5', FABLE_5],
  ['claude-opus-5-5', price(4, 20, 0.2, 5)],
  ['claude-opus-5', OPUS_4_5],
  ['claude-opus-4-8', OPUS_4_5],
  ['claude-opus-4-7', OPUS_4_5],
  ['claude-opus-4-6', OPUS_4_5],
  ['claude-opus-4-5', OPUS_4_5],
  ['claude-sonnet-5-5', price(2, 10, 0.1, 2.5)],
  ['claude-sonnet-5', price(2, 10, 0.2, 2.5)],
  ['claude-sonnet-4-6', SONNET_4],
  ['claude-sonnet-4-5', SONNET_4],
  ['claude-haiku-5-5', tiered(price(0.1, 0.5, 0.01, 0.125), 100_000, price(0.5, 2.5, 0.05, 0.625))],
  ['claude-haiku-4-5', price(1, 5, 0.1, 1.25)],
]);

/** OpenAI's list prices. */
export const OPENAI_PRICES: ReadonlyMap<string, Price> = new Map([
  ['gpt-6-astra', newerOpenAi(10, 50, 1)],
  ['gpt-6.1-sol', newerOpenAi(2, 10, 0.1)],
  ['gpt-6-sol', newerOpenAi(2, 10, 0.2)],
  ['gpt-6-luna', newerOpenAi(0.1, 0.5, 0.01)],
  ['gpt-5.6-terra', newerOpenAi(2, 12, 0.2)],
  ['gpt-5.6-luna', newerOpenAi(0.2, 1.2, 0.02)],
  ['gpt-5.4-mini', price(0.75, 4.5, 0.075)],
  ['gpt-5.2', price(1.75, 14, 0.175)],
  ['gpt-5.1', price(1.25, 10, 0.125)],
  ['gpt-5', price(1.25, 10, 0.125)],
  ['gpt-5-mini', price(0.25, 2, 0.025)],
  ['gpt-5-nano', price(0.05, 0.4, 0.005)],
  ['gpt-4.1', price(2, 8, 0.5)],
  ['gpt-4.1-mini', price(0.4, 1.6, 0.1)],
  ['gpt-4.1-nano', price(0.1, 0.4, 0.025)],
  ['gpt-4o', price(2.5, 10, 1.25)],
  ['gpt-4o-mini', price(0.15, 0.6, 0.075)],
  ['o3', price(2, 8, 0.5)],
  ['o4-mini', price(1.1, 4.4, 0.275)],
]);

/** What a model on one's own machine costs. */
export const FREE: Price = { inputPerMTok: 0, outputPerMTok: 0 };

/** The list price of a model, its dated versions included; undefined where none is known. */
export function listPrice(prices: ReadonlyMap<string, Price>, model: string): Price | undefined {
  return prices.get(model) ?? prices.get(model.replace(/-(\d{4}-\d{2}-\d{2}|\d{8})$/, ''));
}
