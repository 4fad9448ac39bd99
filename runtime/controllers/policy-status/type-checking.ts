/** Checks the expressions of a policy against the kinds that it is about (policy/validating/typechecking.go of 1.32). */
import type { ExpressionWarning, ValidatingAdmissionPolicySpec, Variable } from '../../../generated/admissionregistration/v1/types.ts';
import { eachInTurns } from '../../event-loop/turns.ts';
import { compile } from '../../expressions/compile.ts';
import type { Environment } from '../../expressions/environment/environment.ts';
import { SyntaxErrors } from '../../expressions/syntax/finding.ts';
import { DYN, struct, type Type } from '../../expressions/types/type.ts';
import { type AdmissionRelease, admissionEnvironment } from '../../kinds/admissionregistration/expressions/admission-environments.ts';
import { declaredType } from '../../kinds/admissionregistration/expressions/policy-expressions.ts';
import type { CheckedKind } from './types-to-check.ts';

export interface TypedKind extends CheckedKind {
  readonly type: Type;
}

export interface CheckedTypes {
  readonly kinds: readonly TypedKind[];
  /** the type of the parameters; absent if it is not known, or if there are none */
  readonly params?: Type | undefined;
}

interface Place {
  readonly fieldRef: string;
  readonly expression: string;
}

/** Checks the types of a policy's expressions. Other work has its turn every few milliseconds. @returns warnings, in the order of the expressions */
export async function typeWarnings(
  spec: ValidatingAdmissionPolicySpec,
  { kinds, params }: CheckedTypes,
  release: AdmissionRelease,
): Promise<ExpressionWarning[]> {
  const places = placesOf(spec);
  const warnings = new Map<Place, string[]>();
  for (const kind of kinds) {
    let environment = environmentFor({ object: kind.type, params }, release, {});
    const types: Record<string, Type> = {};
    await eachInTurns(spec.variables ?? [], (variable) => {
      types[variable.name] = typeOf(variable, environment);
      environment = environmentFor({ object: kind.type, params }, release, { ...types });
    });
    await eachInTurns(places, (place) => {
      const problem = problemOf(place.expression, environment);
      if (problem === undefined) return;
      const { group, version, kind: name } = kind;
      const text = `${group}/${version}, Kind=${name}: ${problem}\n`;
      warnings.set(place, [...(warnings.get(place) ?? []), text]);
    });
  }
  return places.flatMap((place) => {
    const texts = warnings.get(place);
    return texts === undefined ? [] : [{ fieldRef: place.fieldRef, warning: texts.join('\n') }];
  });
}

function placesOf({ validations = [] }: ValidatingAdmissionPolicySpec): readonly Place[] {
  return validations.flatMap(({ expression, messageExpression = '' }, index) => {
    const field = `spec.validations[${index}]`;
    const condition = { fieldRef: `${field}.expression`, expression };
    return messageExpression === '' ? [condition] : [condition, { fieldRef: `${field}.messageExpression`, expression: messageExpression }];
  });
}

/** Parameters of which nothing is known are not declared. */
function environmentFor(
  { object, params }: { readonly object: Type; readonly params: Type | undefined },
  release: AdmissionRelease,
  variables: Readonly<Record<string, Type>>,
): Environment {
  const declared = { params: params !== undefined, authorizer: true };
  return admissionEnvironment(declared, release, struct('kubernetes.variables', variables), { object, params: params ?? DYN });
}

/** What does not compile may be anything: its own problem is told where policies are written. */
function typeOf({ expression }: Variable, environment: Environment): Type {
  try {
    return declaredType(compile(expression, environment).type);
  } catch (error) {
    if (error instanceof SyntaxErrors) return DYN;
    throw error;
  }
}

function problemOf(expression: string, environment: Environment): string | undefined {
  try {
    compile(expression, environment);
    return undefined;
  } catch (error) {
    if (error instanceof SyntaxErrors) return error.message;
    throw error;
  }
}
