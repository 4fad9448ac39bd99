/** What is asked of the members of a value, as data: findings that differ in nothing but what they say. */
import { type FieldError, forbidden, invalid, required } from '../../contract/field-error.ts';
import { NONE } from '../../validation/joined.ts';

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
  let found: FieldError[] | undefined;
  for (let i = 0; i < demands.length; i++) {
    const demand = demands[i] as Demand<Value, Place>;
    if (!demand.broken(value, place)) continue;
    found ??= [];
    found.push(findingOf(demand, value, `${path}.${demand.at}`));
  }
  return found ?? NONE;
}

function findingOf<Value, Place>({ at, as, detail }: Demand<Value, Place>, value: Value, path: string): FieldError {
  if (as === 'invalid') return invalid(path, value[at], detail);
  return as === 'required' ? required(path, detail) : forbidden(path, detail);
}
