/** An expression that came to no value: a missing key, a division by zero, a budget that is used up. */
export class EvaluationError extends Error {}
