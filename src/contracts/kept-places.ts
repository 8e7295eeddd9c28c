import type { DeniedNames } from './policy/denied-names.ts';

/** Places that a run keeps from its own tools, by absolute paths of which links are resolved; they need not exist. */
export interface KeptPlaces {
  /** The record of runs and what goes with it: programs do not see it, tools neither change nor list it. */
  readonly hidden: readonly string[];
  /** What the run was made from, such as its modules: programs and tools read it, and change it not. */
  readonly fixed: readonly string[];
  /** What policy denies in the workspace; left out, nothing is denied. */
  readonly denied?: DeniedNames;
}
