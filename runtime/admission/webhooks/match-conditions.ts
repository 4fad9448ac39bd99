/** Conditions in CEL under which a webhook is asked (`matchConditions`). */
import type { MatchCondition } from '../../../generated/admissionregistration/v1/types.ts';
import type { Authorizer } from '../../authorization/authorizer.ts';
import type { Gates } from '../../expressions/libraries/kubernetes.ts';
import { jsonValue } from '../../expressions/values/json-values.ts';
import type { Value } from '../../expressions/values/value.ts';
import { CompiledExpressions } from '../expressions/compiled-expressions.ts';
import type { ReadRequest } from '../expressions/expression-pass.ts';
import { type ConditionOutcome, meetsConditions } from '../expressions/match-conditions.ts';
import type { AdmissionAttributes } from '../request/attributes.ts';
import { AuthorizerAnswers, requestResourceCheck } from '../request/authorizer-answers.ts';
import type { RequestFacts } from './admission-review.ts';
import type { Versioned } from './versioned-objects.ts';

export interface ConditionInput {
  readonly attributes: AdmissionAttributes;
  readonly facts: RequestFacts;
  readonly versioned: Versioned;
  readonly authorizer: Authorizer;
}

export class MatchConditions {
  readonly #compiled: CompiledExpressions;

  /** What does not compile fails when it is evaluated: an earlier release may have stored it. */
  constructor(matchConditions: readonly MatchCondition[], gates: Gates) {
    this.#compiled = new CompiledExpressions({ matchConditions }, gates);
  }

  /** @param failsOpen whether what goes wrong means that they are not met. @throws the reason of the request's signal */
  async match(input: ConditionInput, failsOpen: boolean): Promise<ConditionOutcome> {
    await this.#compiled.ready();
    const answers = new AuthorizerAnswers(input.authorizer, input.attributes);
    const given = { seen: new SeenByWebhook(input, answers), params: undefined, variables: new Map(), mayTakeLong: true };
    return answers.whenAnswered(() => meetsConditions(this.#compiled.conditions, given, failsOpen));
  }
}

/** Webhooks are shown no namespace. */
class SeenByWebhook implements ReadRequest {
  readonly #input: ConditionInput;
  readonly #answers: AuthorizerAnswers;

  constructor(input: ConditionInput, answers: AuthorizerAnswers) {
    this.#input = input;
    this.#answers = answers;
  }

  read(variable: string): Value | undefined {
    const { attributes, facts, versioned } = this.#input;
    switch (variable) {
      case 'object':
        return jsonValue(versioned.shown);
      case 'oldObject':
        return jsonValue(versioned.old);
      case 'request':
        return jsonValue(facts);
      case 'authorizer':
        return this.#answers.value;
      case 'authorizer.requestResource':
        return requestResourceCheck(this.#answers.value, attributes);
      default:
        return undefined;
    }
  }
}
