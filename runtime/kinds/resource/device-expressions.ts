/** Conditions on devices compile (dynamic-resource-allocation/cel/compile.go of 1.32). */
import type { CELDeviceSelector } from '../../../generated/resource/v1beta1/types.ts';
import type { FieldError } from '../../contract/field-error.ts';
import { Environment } from '../../expressions/environment/environment.ts';
import { expressionFindings, outcomeOf, typeText } from '../../expressions/expression-problems.ts';
import { kubernetesLibraries, NEW_EXPRESSIONS } from '../../expressions/libraries/kubernetes.ts';
import { QUANTITY } from '../../expressions/libraries/quantity/quantity-value.ts';
import { semverLibrary } from '../../expressions/libraries/semver.ts';
import { ANY, mapOf, STRING, struct, type Type } from '../../expressions/types/type.ts';
import { isLongerThan } from '../../formats/messages.ts';
import { NONE } from '../../validation/joined.ts';

const DEVICE: Type = struct('kubernetes.DRADevice', {
  driver: STRING,
  attributes: mapOf(STRING, mapOf(STRING, ANY)),
  capacity: mapOf(STRING, mapOf(STRING, QUANTITY)),
});
let environment: Environment | undefined;

/** Bytes; longer ones are told of by others. */
const LONGEST = 10 * 1024;

/** An absent condition is an empty one, which is none. */
export function deviceCondition({ expression: source = '' }: CELDeviceSelector): readonly FieldError[] {
  if (isLongerThan(source, LONGEST)) return NONE;
  environment ??= new Environment({
    libraries: [...kubernetesLibraries(NEW_EXPRESSIONS).filter((each) => each !== semverLibrary), semverLibrary],
    mixedLiterals: true,
    variables: { device: DEVICE },
  });
  return expressionFindings(outcomeOf(source, environment, otherType), '.expression', source);
}

function otherType(type: Type): string | undefined {
  return type.kind === 'bool' || type.kind === 'any' ? undefined : `must evaluate to bool or the unknown type, not ${typeText(type)}`;
}
