import { describeThrown, findPosition } from '../tools/module-error.ts';

/** An error that loaded code let go of outside of every call, on one line: where in a user's file that is known, and what. */
export function describeStray(thrown: unknown): string {
  const position = findPosition(thrown);
  return `${position === undefined ? '' : `${position}: `}${describeThrown(thrown)}`;
}
