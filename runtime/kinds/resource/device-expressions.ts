/** Conditions on devices compile, and cost no more than a scheduler pays for. */
import type { CELDeviceSelector } from '../../../generated/resource/v1beta1/types.ts';
import { type FieldError, forbidden } from '../../contract/field-error.ts';
import { estimateCost } from '../../expressions/costs/estimate.ts';
import type { Environment } from '../../expressions/environment/environment.ts';
import { expressionFindings, outcomeOf, typeText } from '../../expressions/expression-problems.ts';
import { deviceEnvironment, deviceSizes } from '../../expressions/libraries/device.ts';
import type { Type } from '../../expressions/types/type.ts';
import { isLongerThan } from '../../formats/messages.ts';
import { NONE } from '../../validation/joined.ts';

let environment: Environment | undefined;

/** Bytes; longer ones are told of by others. */
const LONGEST = 10 * 1024;
/** Units that a condition may cost for one device. */
const MOST_COST = 1_000_000n;

/** An absent condition is an empty one, which is none. */
export function deviceCondition({ expression: source = '' }: CELDeviceSelector): readonly FieldError[] {
  if (isLongerThan(source, LONGEST)) return NONE;
  environment ??= deviceEnvironment();
  const outcome = outcomeOf(source, environment, otherType);
  if (outcome.checked === undefined) return expressionFindings(outcome, '.expression', source);
  const { cost } = estimateCost(outcome.checked, deviceSizes);
  return cost.max > MOST_COST ? [forbidden('.expression', 'too complex, exceeds cost limit')] : NONE;
}

function otherType(type: Type): string | undefined {
  return type.kind === 'bool' || type.kind === 'any' ? undefined : `must evaluate to bool or the unknown type, not ${typeText(type)}`;
}
