/** The limits of costs of expressions in 1.32, in units. */

/** for one evaluation */
export const PER_CALL_LIMIT = 1_000_000;
/** for all rules of an object */
export const OBJECT_BUDGET = 10_000_000;
/** for the estimate of one rule */
export const RULE_LIMIT = 10_000_000n;
/** for the estimates of all rules of a definition */
export const DEFINITION_LIMIT = 100_000_000n;
