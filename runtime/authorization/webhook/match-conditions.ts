/** Decides whether a webhook is asked about a request: all conditions must be true for the review that would be sent. */
import { type CompiledExpression, ExpressionError } from '../../expressions/expression.ts';
import type { ReviewSpec } from './review.ts';
import { reviewValue } from './review-types.ts';

export class MatchConditions {
  readonly #conditions: readonly CompiledExpression[];

  constructor(conditions: readonly CompiledExpression[]) {
    this.#conditions = conditions;
  }

  /** If a condition is false the answer is no, even if others fail. Otherwise a failure counts. */
  match(spec: ReviewSpec): 'yes' | 'no' | { readonly error: string } {
    const errors: string[] = [];
    const variables = { request: reviewValue(spec) };
    for (const condition of this.#conditions) {
      try {
        if (condition.evaluate(variables) !== true) return 'no';
      } catch (error) {
        if (!(error instanceof ExpressionError)) throw error;
        errors.push(`match condition ${JSON.stringify(condition.source)}: ${error.message}`);
      }
    }
    return errors.length === 0 ? 'yes' : { error: errors.join('; ') };
  }
}
