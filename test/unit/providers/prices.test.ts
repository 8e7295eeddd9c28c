import { describe, expect, it } from 'vitest';
import { costMicroUsd } from '../../../src/budget/prices.ts';
import { priceSchema } from '../../../src/contracts/budget.ts';
import { ANTHROPIC_PRICES, listPrice, OPENAI_PRICES, PRICES_READ } from '../../../src/providers/prices.ts';
import { PROVIDERS } from '../../../src/providers/provider-names.ts';

describe('list prices', () => {
  it('are prices, with a date and their sources', () => {
    for (const [model, price] of [...ANTHROPIC_PRICES, ...OPENAI_PRICES]) {
      expect(priceSchema.safeParse(price).success, model).toBe(true);
      expect(price.cacheReadPerMTok, model).toBeLessThan(price.inputPerMTok);
      expect(price.outputPerMTok, model).toBeGreaterThan(price.inputPerMTok);
    }
    expect(PRICES_READ.on).toMatch(/^\d{4}-\d{2}-\d{2}$/);
    expect(PRICES_READ.from).toHaveLength(2);
  });

  it('hold for dated versions, and for no model that only begins alike', () => {
    expect(listPrice(OPENAI_PRICES, 'gpt-4.1-2025-04-14')).toBe(listPrice(OPENAI_PRICES, 'gpt-4.1'));
    expect(listPrice(ANTHROPIC_PRICES, 'claude-sonnet-4-5-20250929')).toBe(
      ANTHROPIC_PRICES.get('claude-sonnet-4-5'),
    );
    expect(listPrice(OPENAI_PRICES, 'gpt-4.1-turbo')).toBeUndefined();
  });

  it('are known for the models that are taken by default', () => {
    expect(listPrice(ANTHROPIC_PRICES, PROVIDERS.anthropic.defaultModel)).toBeDefined();
    expect(listPrice(OPENAI_PRICES, PROVIDERS.openai.defaultModel)).toBeDefined();
  });

  it('count cached tokens at three rates', () => {
    const usage = { inputTokens: 1010, outputTokens: 0, cacheReadTokens: 900, cacheWriteTokens: 100 };
    // 10 x 3 + 900 x 0.3 + 100 x 3.75
    expect(costMicroUsd(usage, ANTHROPIC_PRICES.get('claude-sonnet-4-5')!)).toBe(675);
  });

  it('rise for the whole of a call whose prompt is long', () => {
    const haiku = ANTHROPIC_PRICES.get('claude-haiku-5-5')!;
    expect(costMicroUsd({ inputTokens: 100_000, outputTokens: 1000 }, haiku)).toBe(10_500);
    expect(costMicroUsd({ inputTokens: 100_001, outputTokens: 1000 }, haiku)).toBe(52_501);
  });
});
