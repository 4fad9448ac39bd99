/** Conditions in CEL under which a webhook is asked (`matchConditions`). */
import type { MatchCondition } from '../../../generated/admissionregistration/v1/types.ts';
import type { Authorizer } from '../../authorization/authorizer.ts';
import { compile } from '../../expressions/compile.ts';
import { Environment } from '../../expressions/environment/environment.ts';
import { AUTHORIZER, type AuthorizerValue, RESOURCE_CHECK } from '../../expressions/libraries/authorizer/authorizer-values.ts';
import { kubernetesLibraries, STORED_EXPRESSIONS } from '../../expressions/libraries/kubernetes.ts';
import { Program } from '../../expressions/plan/program.ts';
import { SyntaxErrors } from '../../expressions/syntax/finding.ts';
import { BOOL, DYN, typeText } from '../../expressions/types/type.ts';
import { jsonValue } from '../../expressions/values/json-values.ts';
import { ErrorValue, type Value } from '../../expressions/values/value.ts';
import { NAMESPACE, REQUEST } from '../../kinds/admissionregistration/expressions/admission-types.ts';
import { parseNativeJson } from '../../schema/native-json.ts';
import type { AdmissionAttributes } from '../request/attributes.ts';
import { AuthorizerAnswers, requestResourceCheck } from '../request/authorizer-answers.ts';
import type { RequestFacts } from './admission-review.ts';
import type { Versioned } from './versioned-objects.ts';

/** Cost units of one condition, and of all of one webhook. */
const UNITS = 1_000_000;
const ALL_UNITS = 2_500_000;

/** As 1.32 compiles what is stored; what is written has passed the stricter one of new expressions. */
const environment = new Environment({
  libraries: kubernetesLibraries(STORED_EXPRESSIONS),
  mixedLiterals: true,
  variables: {
    object: DYN,
    oldObject: DYN,
    namespaceObject: NAMESPACE,
    request: REQUEST,
    authorizer: AUTHORIZER,
    'authorizer.requestResource': RESOURCE_CHECK,
  },
});

interface Compiled {
  readonly expression: string;
  /** absent: `problem` says why */
  readonly program?: Program;
  readonly problem?: string;
}

/** How conditions come out: an error only where none is false. */
export type Outcome = boolean | { readonly error: string };

export interface ConditionInput {
  readonly attributes: AdmissionAttributes;
  readonly facts: RequestFacts;
  readonly versioned: Versioned;
  readonly authorizer: Authorizer;
}

export class MatchConditions {
  readonly #conditions: readonly Compiled[];

  /** What does not compile fails when it is evaluated: an earlier release may have stored it. */
  constructor(conditions: readonly MatchCondition[]) {
    this.#conditions = conditions.map(({ expression }) => compiled(expression));
  }

  /** @throws the reason of the request's signal */
  async match(input: ConditionInput): Promise<Outcome> {
    const answers = new AuthorizerAnswers(input.authorizer, input.attributes);
    return answers.whenAnswered(() => this.#evaluate(input, answers.value));
  }

  #evaluate({ attributes, facts, versioned }: ConditionInput, authorizer: AuthorizerValue): Outcome {
    const read = (name: string): Value | (() => Value) => {
      if (name === 'request') return () => jsonValue(facts);
      if (name === 'object') return () => jsonOf(versioned.objectText);
      if (name === 'oldObject') return () => jsonOf(versioned.oldText);
      if (name === 'authorizer') return authorizer;
      return name === 'authorizer.requestResource' ? () => requestResourceCheck(authorizer, attributes) : null;
    };
    const errors = new Set<string>();
    let left = ALL_UNITS;
    for (const { expression, program, problem } of this.#conditions) {
      if (program === undefined) {
        errors.add(`compilation error: ${problem}`);
        continue;
      }
      const { value, cost } = program.evaluate(read, UNITS);
      if (cost > left) return { error: OUT_OF_BUDGET };
      left -= cost;
      if (value === false) return false;
      if (value instanceof ErrorValue) errors.add(`expression '${expression}' resulted in error: ${value.message}`);
    }
    if (errors.size === 0) return true;
    const all = [...errors];
    return { error: all.length === 1 ? (all[0] as string) : `[${all.join(', ')}]` };
  }
}

const OUT_OF_BUDGET = 'validation failed due to running out of cost budget, no further validation rules will be run';

function compiled(expression: string): Compiled {
  try {
    const checked = compile(expression, environment);
    if (checked.type.kind !== 'bool' && checked.type.kind !== 'dyn') return { expression, problem: `must evaluate to ${typeText(BOOL)}` };
    return { expression, program: new Program(checked) };
  } catch (error) {
    if (!(error instanceof SyntaxErrors)) throw error;
    return { expression, problem: error.message };
  }
}

const jsonOf = (text: string): Value => jsonValue(parseNativeJson(text));
