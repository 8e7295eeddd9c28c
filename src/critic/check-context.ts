import type { CheckResult } from '../contracts/verdict.ts';
import type { Json } from '../kernel/json.ts';

/** A result that the output node descends from. */
export interface SourceResult {
  readonly node: string;
  readonly tool: string;
  readonly value: Json;
}

/** What a report is checked against. */
export interface CheckContext {
  /** The value of the output node. */
  readonly report: Json;
  readonly goal: string;
  readonly inputs: Json;
  readonly results: readonly SourceResult[];
  /** Results of the `function` checks, by their place in the list of checks. */
  readonly functionResults: ReadonlyMap<number, CheckResult>;
}
