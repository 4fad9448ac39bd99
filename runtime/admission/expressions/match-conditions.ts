/** Conditions under which a policy or a webhook is asked (webhook/matchconditions of 1.32). */
import { aggregateText } from '../../contract/aggregate-text.ts';
import { JsonMap } from '../../expressions/values/json-values.ts';
import type { Value } from '../../expressions/values/value.ts';
import { type CompiledExpression, ExpressionPass, OutOfBudget, type PassInput, type ReadRequest } from './expression-pass.ts';

/** Units of all conditions of one policy or webhook (apis/cel/config.go of 1.32). */
const CONDITION_UNITS = 2_500_000;

/** How match conditions come out: an error only where none is false. */
export type ConditionOutcome = boolean | { readonly error: string };

/**
 * Whether all of them are true.
 * @param failsOpen whether what goes wrong means that they are not
 * @throws LongObject; what tells that the authorizer has to be waited for
 */
export function meetsConditions(
  conditions: readonly CompiledExpression[],
  input: Omit<PassInput, 'budget' | 'authorizer'>,
  failsOpen: boolean,
): ConditionOutcome {
  if (conditions.length === 0) return true;
  const seen = new SeenByConditions(input.seen);
  const pass = new ExpressionPass({ ...input, seen, budget: CONDITION_UNITS, authorizer: true });
  const errors = new Set<string>();
  let isFalse = false;
  try {
    for (const condition of conditions) {
      const { value, error } = pass.evaluate(condition);
      if (error !== undefined) errors.add(error);
      else isFalse ||= value === false;
    }
  } catch (error) {
    if (!(error instanceof OutOfBudget)) throw error;
    return failsOpen ? false : { error: error.message };
  }
  if (isFalse) return false;
  if (errors.size === 0) return true;
  if (failsOpen) return false;
  return { error: aggregateText(errors) };
}

/** Conditions are shown no namespace, and the resource that the client has named, whatever the request was matched as. */
class SeenByConditions implements ReadRequest {
  readonly #seen: ReadRequest;

  constructor(seen: ReadRequest) {
    this.#seen = seen;
  }

  read(variable: string): Value | undefined {
    if (variable === 'namespaceObject') return null;
    const value = this.#seen.read(variable);
    if (variable !== 'request' || !(value instanceof JsonMap)) return value;
    const { resource, requestResource = resource } = value.json;
    return resource === requestResource ? value : new JsonMap({ ...value.json, resource: requestResource });
  }
}
