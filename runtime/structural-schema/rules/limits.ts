/** Units that expressions may cost, as in 1.32. */

/** of one evaluation */
export const PER_CALL_LIMIT = 1_000_000;
/** of all rules of an object */
export const OBJECT_BUDGET = 10_000_000;
/** of one rule at most, by its estimate */
export const RULE_LIMIT = 10_000_000n;
/** of all rules of a definition, by their estimates */
export const DEFINITION_LIMIT = 100_000_000n;
