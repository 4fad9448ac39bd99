/** The expressions of one policy: what each may use, and what its variables are. */
import type { Environment } from '../../../expressions/environment/environment.ts';
import { APPLIED_OBJECT, PATCHES, withPatchTypes } from '../../../expressions/libraries/patch-types.ts';
import { BOOL, DYN, listOf, mapOf, NULL, STRING, struct, type Type } from '../../../expressions/types/type.ts';
import { type ExpressionOutcome, mustBe, ofAnyType, outcomeOf } from '../../expression-problems.ts';
import { admissionEnvironment } from './admission-environments.ts';

/** What policies of both kinds have. */
export interface PolicySpec {
  readonly paramKind?: object | null | undefined;
  readonly variables?: readonly PolicyVariable[] | null | undefined;
}

export interface PolicyVariable {
  readonly name: string;
  readonly expression: string;
}

const CONDITION = mustBe(BOOL);
const MESSAGE = mustBe(STRING);
const ANNOTATION = mustBe(STRING, NULL);

export class PolicyExpressions {
  readonly #params: boolean;
  readonly #variables: readonly PolicyVariable[];
  /** by variable, once they have been looked at: each sees those before it */
  #outcomes: ReadonlyMap<PolicyVariable, ExpressionOutcome> | undefined;
  #types: Readonly<Record<string, Type>> = {};

  constructor({ paramKind, variables }: PolicySpec) {
    this.#params = paramKind !== undefined && paramKind !== null;
    this.#variables = variables ?? [];
  }

  matchCondition(source: string): ExpressionOutcome {
    return outcomeOf(source, admissionEnvironment({ params: this.#params, authorizer: true }), CONDITION);
  }

  /** @param variable one of the policy's */
  variable(variable: PolicyVariable): ExpressionOutcome {
    return this.#lookedAt().get(variable) ?? {};
  }

  validation(source: string): ExpressionOutcome {
    return outcomeOf(source, this.#environment(true), CONDITION);
  }

  message(source: string): ExpressionOutcome {
    return outcomeOf(source, this.#environment(false), MESSAGE);
  }

  annotation(source: string): ExpressionOutcome {
    return outcomeOf(source, this.#environment(true), ANNOTATION);
  }

  appliedObject(source: string): ExpressionOutcome {
    return outcomeOf(source, withPatchTypes(this.#environment(true), source), mustBe(APPLIED_OBJECT));
  }

  patches(source: string): ExpressionOutcome {
    return outcomeOf(source, withPatchTypes(this.#environment(true), source), mustBe(PATCHES));
  }

  #environment(authorizer: boolean): Environment {
    this.#lookedAt();
    return this.#environmentWith(authorizer, this.#types);
  }

  /** Nothing knows of variables where there are none. */
  #environmentWith(authorizer: boolean, types: Readonly<Record<string, Type>>): Environment {
    const declared = { params: this.#params, authorizer };
    return this.#variables.length === 0
      ? admissionEnvironment(declared)
      : admissionEnvironment(declared, struct('kubernetes.variables', types));
  }

  #lookedAt(): ReadonlyMap<PolicyVariable, ExpressionOutcome> {
    if (this.#outcomes !== undefined) return this.#outcomes;
    const outcomes = new Map<PolicyVariable, ExpressionOutcome>();
    const types: Record<string, Type> = {};
    for (const variable of this.#variables) {
      const { name, expression = '' } = variable;
      if (expression.trim() === '') continue;
      const outcome = outcomeOf(expression, this.#environmentWith(true, { ...types }), ofAnyType);
      outcomes.set(variable, outcome);
      types[name] = outcome.type === undefined ? DYN : declaredType(outcome.type);
    }
    this.#outcomes = outcomes;
    this.#types = types;
    return outcomes;
  }
}

/** Values of libraries' types may be anything to those who use a variable. */
function declaredType(type: Type): Type {
  switch (type.kind) {
    case 'list':
      return listOf(declaredType(type.element));
    case 'map':
      return mapOf(declaredType(type.key), declaredType(type.value));
    case 'struct':
    case 'opaque':
    case 'type':
    case 'wrapper':
    case 'parameter':
      return DYN;
    default:
      return type;
  }
}
