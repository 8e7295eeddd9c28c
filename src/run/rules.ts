/** Version of the decision rules: it changes whenever `decide` or `evolve` would answer an old log differently. */
export const RULES_VERSION = 1;
