import type { BudgetDimension, BudgetMode } from '../contracts/budget.ts';
import { type Amounts, DIMENSION_OF_AMOUNT, type Ledger } from './ledger.ts';

/** How pressed a budget is: the largest settled/limit and the dimension it stands in. */
export interface Pressure {
  readonly pressure: number;
  readonly dimension: BudgetDimension;
}

const AMOUNTS = Object.keys(DIMENSION_OF_AMOUNT) as (keyof Amounts)[];

/** The pressure of a ledger: the largest settled/limit over its dimensions, 0/0 counting 1; 0 without limits. */
export function measurePressure(ledger: Ledger): Pressure {
  const { limits, settled } = ledger;
  let highest = 0;
  let where: keyof Amounts = 'tokens';
  for (let index = 0; index < AMOUNTS.length; index++) {
    const amount = AMOUNTS[index] as keyof Amounts;
    const limit = limits[amount];
    if (limit === Infinity) continue;
    const ratio = limit === 0 ? 1 : settled[amount] / limit;
    if (ratio > highest) {
      highest = ratio;
      where = amount;
    }
  }
  return { pressure: highest, dimension: DIMENSION_OF_AMOUNT[where] };
}

/** The mode that a pressure puts a run in. */
export function modeAt(pressure: number, thresholds: { economyAt: number; minimalAt: number }): BudgetMode {
  if (pressure >= 1) return 'stopped';
  if (pressure >= thresholds.minimalAt) return 'minimal';
  return pressure >= thresholds.economyAt ? 'economy' : 'full';
}
