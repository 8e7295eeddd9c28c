import type { EventOf } from '../flight/events.ts';

/** Why a call is asked about beside its effect: where its arguments came from, and what of its commands is not known to be harmless. */
export function whyAsked({
  taint = [],
  dangers = [],
}: Pick<EventOf<'approval.requested'>, 'taint' | 'dangers'>): string[] {
  return [
    ...taint.map(
      ({ argument, from }) => `"${argument}" comes from the open world, by way of ${from.join(', ')}`,
    ),
    ...dangers.map(({ argument, reason }) => `"${argument}" may do harm: ${reason}`),
  ];
}
