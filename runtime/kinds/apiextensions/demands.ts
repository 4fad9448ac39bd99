/** What is asked of the members of a value, as data: findings that differ in nothing but what they say. */
import { type FieldError, forbidden, invalid, required } from '../../contract/field-error.ts';
import { foundInEach, NONE } from '../joined.ts';

export interface Demand<Value, Place = unknown> {
  /** the member at which it is reported; of what is invalid it is shown */
  readonly at: keyof Value & string;
  readonly as: 'forbidden' | 'invalid' | 'required';
  readonly detail: string;
  /** @param place what is known of where the value stands */
  readonly broken: (value: Value, place: Place) => boolean;
}

export function brokenDemands<Value, Place>(
  demands: readonly Demand<Value, Place>[],
  value: Value,
  path: string,
  place: Place,
): readonly FieldError[] {
  return foundInEach(demands, ({ at, as, detail, broken }) => {
    if (!broken(value, place)) return NONE;
    const field = `${path}.${at}`;
    if (as === 'invalid') return [invalid(field, value[at], detail)];
    return [as === 'required' ? required(field, detail) : forbidden(field, detail)];
  });
}
