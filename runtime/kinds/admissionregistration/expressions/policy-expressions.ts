/** The expressions of one policy: what each may use, and what its variables are. */
import type { Environment } from '../../../expressions/environment/environment.ts';
import { type ExpressionOutcome, mustBe, ofAnyType, outcomeOf } from '../../../expressions/expression-problems.ts';
import { APPLIED_OBJECT, PATCHES, withPatchTypes } from '../../../expressions/libraries/patch-types.ts';
import { BOOL, DYN, listOf, mapOf, NULL, STRING, struct, type Type } from '../../../expressions/types/type.ts';
import { textsIn } from '../../../schema/text/texts-in.ts';
import { type AdmissionRelease, admissionEnvironment, NEW, stored } from './admission-environments.ts';

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
  readonly #before: ReadonlySet<string>;
  readonly #variables: readonly PolicyVariable[];
  /** by variable, as far as they have been looked at: each sees those before it */
  readonly #outcomes = new Map<PolicyVariable, ExpressionOutcome>();
  #lookedAt = 0;
  readonly #types: Record<string, Type> = {};

  /** @param release of those that are written now without it. @param old what is updated: its expressions count as stored ones, whatever let them pass */
  constructor({ paramKind, variables }: PolicySpec, release = NEW, old?: object) {
    this.#before = textsIn(old);
    this.#params = paramKind !== undefined && paramKind !== null;
    this.#release = release;
    this.#variables = variables ?? [];
  }

  matchCondition(source: string): ExpressionOutcome {
    return outcomeOf(source, this.#environmentWith(true, source), CONDITION);
  }

  /** @param variable one of the policy's: those before it are looked at as well */
  variable(variable: PolicyVariable): ExpressionOutcome {
    while (this.#lookedAt < this.#variables.length && !this.#outcomes.has(variable)) this.#lookAtNext();
    return this.#outcomes.get(variable) ?? {};
  }

  validation(source: string): ExpressionOutcome {
    return outcomeOf(source, this.#environment(true, source), CONDITION);
  }

  message(source: string): ExpressionOutcome {
    return outcomeOf(source, this.#environment(false, source), MESSAGE);
  }

  annotation(source: string): ExpressionOutcome {
    return outcomeOf(source, this.#environment(true, source), ANNOTATION);
  }

  appliedObject(source: string): ExpressionOutcome {
    return outcomeOf(source, withPatchTypes(this.#environment(true, source), source), mustBe(APPLIED_OBJECT));
  }

  patches(source: string): ExpressionOutcome {
    return outcomeOf(source, withPatchTypes(this.#environment(true, source), source), mustBe(PATCHES));
  }

  #environment(authorizer: boolean, source: string): Environment {
    while (this.#lookedAt < this.#variables.length) this.#lookAtNext();
    return this.#environmentWith(authorizer, source, this.#types);
  }

  /** Nothing knows of variables where there are none. */
  #environmentWith(authorizer: boolean, source: string, types?: Readonly<Record<string, Type>>): Environment {
    const variables = types === undefined || this.#variables.length === 0 ? undefined : struct('kubernetes.variables', types);
    const release = this.#before.has(source) ? stored({}) : this.#release;
    return admissionEnvironment({ params: this.#params, authorizer }, release, variables);
  }

  #lookAtNext(): void {
    const variable = this.#variables[this.#lookedAt++] as PolicyVariable;
    const { name, expression = '' } = variable;
    if (expression.trim() === '') return;
    const outcome = outcomeOf(expression, this.#environmentWith(true, expression, { ...this.#types }), ofAnyType);
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
