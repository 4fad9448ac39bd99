/** The expressions of one policy: what each may use, and what its variables are. */
import type { Environment } from '../../../expressions/environment/environment.ts';
import { type ExpressionOutcome, mustBe, ofAnyType, outcomeOf } from '../../../expressions/expression-problems.ts';
import { APPLIED_OBJECT, PATCHES, withPatchTypes } from '../../../expressions/libraries/patch-types.ts';
import { BOOL, DYN, listOf, mapOf, NULL, STRING, struct, type Type } from '../../../expressions/types/type.ts';
import { type AdmissionRelease, admissionEnvironment, NEW } from './admission-environments.ts';

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
  readonly #release: AdmissionRelease;
  readonly #variables: readonly PolicyVariable[];
  /** by variable, as far as they have been looked at: each sees those before it */
  readonly #outcomes = new Map<PolicyVariable, ExpressionOutcome>();
  #lookedAt = 0;
  readonly #types: Record<string, Type> = {};

  /** @param release of those that are written now without it */
  constructor({ paramKind, variables }: PolicySpec, release = NEW) {
    this.#params = paramKind !== undefined && paramKind !== null;
    this.#release = release;
    this.#variables = variables ?? [];
  }

  matchCondition(source: string): ExpressionOutcome {
    return outcomeOf(source, admissionEnvironment({ params: this.#params, authorizer: true }, this.#release), CONDITION);
  }

  /** @param variable one of the policy's: those before it are looked at as well */
  variable(variable: PolicyVariable): ExpressionOutcome {
    while (this.#lookedAt < this.#variables.length && !this.#outcomes.has(variable)) this.#lookAtNext();
    return this.#outcomes.get(variable) ?? {};
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
    while (this.#lookedAt < this.#variables.length) this.#lookAtNext();
    return this.#environmentWith(authorizer, this.#types);
  }

  /** Nothing knows of variables where there are none. */
  #environmentWith(authorizer: boolean, types: Readonly<Record<string, Type>>): Environment {
    const declared = { params: this.#params, authorizer };
    return this.#variables.length === 0
      ? admissionEnvironment(declared, this.#release)
      : admissionEnvironment(declared, this.#release, struct('kubernetes.variables', types));
  }

  #lookAtNext(): void {
    const variable = this.#variables[this.#lookedAt++] as PolicyVariable;
    const { name, expression = '' } = variable;
    if (expression.trim() === '') return;
    const outcome = outcomeOf(expression, this.#environmentWith(true, { ...this.#types }), ofAnyType);
    this.#outcomes.set(variable, outcome);
    this.#types[name] = outcome.type === undefined ? DYN : declaredType(outcome.type);
  }
}

/** Values of libraries' types may be anything to those who use a variable. */
export function declaredType(type: Type): Type {
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
