import { describe, expect, it } from 'vitest';
import { renderBudget } from '../../../src/views/budget-view.ts';
import {
  formatAge,
  formatBytes,
  formatCost,
  formatCount,
  formatDuration,
} from '../../../src/views/format-amounts.ts';
import { PLAIN_STYLE } from '../../../src/views/style.ts';
import { FlightBuilder } from '../../support/flight-builder.ts';

describe('renderBudget', () => {
  it('shows each dimension, a limit of 0 as used up', () => {
    const prices = { 'mock-1': { inputPerMTok: 3, outputPerMTok: 15 } };
    const budget = { tokens: 110, toolCalls: 0, costUsd: 1 };
    const events = new FlightBuilder().start({ prices, budget }).call('plan/1', 'planner').build();
    const style = { ...PLAIN_STYLE, red: (text: string) => `!${text}` };
    expect(renderBudget(events, { isAscii: true, style })).toEqual([
      'budget           used     limit',
      'tokens            110       110  ####################  !100 %',
      'model calls         1  no limit',
      'tool calls          0         0  ####################  !100 %',
      'time            10 ms  no limit',
      'cost         $0.00045     $1.00  #...................    0 %',
    ]);
  });
});

describe('amounts', () => {
  it.each([
    [0, '0 ms'],
    [0.4, '<1 ms'],
    [999.4, '999 ms'],
    [1250, '1.25 s'],
    [59_999, '1 min 00 s'],
    [125_000, '2 min 05 s'],
    [11_220_000, '3 h 07 min'],
  ])('%d ms reads %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });

  it('counts have separators, costs as many digits as they need', () => {
    expect([0, 999, 12_345, 1_234_567].map(formatCount)).toEqual(['0', '999', '12,345', '1,234,567']);
    expect([0, 1, 450, 4200, 1_250_000].map(formatCost)).toEqual([
      '$0',
      '$0.000001',
      '$0.00045',
      '$0.0042',
      '$1.25',
    ]);
  });

  it('sizes and ages have the unit that suits them', () => {
    expect([0, 999, 1000, 1440, 99_960, 23_700_000, 999_600, 4e12].map(formatBytes)).toEqual([
      ...['0 B', '999 B', '1.0 kB', '1.4 kB', '100 kB', '23.7 MB', '1.0 MB', '4.0 TB'],
    ]);
    const [minute, hour] = [60_000, 3_600_000];
    expect([-5, 0, minute, 59 * minute, hour, 47 * hour, 48 * hour, 24_000 * hour].map(formatAge)).toEqual([
      ...['just now', 'just now', '1 min ago', '59 min ago', '1 h ago', '47 h ago', '2 d ago', '1,000 d ago'],
    ]);
  });
});
