/** What is asked of the members of a struct, as data: findings that differ in nothing but what they say. */
import { type FieldError, forbidden, invalid, required } from '../../contract/field-error.ts';
import { foundInEach, NONE } from '../joined.ts';

export interface Demand<Struct, Place = unknown> {
  /** the member at which it is reported; of what is invalid it is shown */
  readonly at: keyof Struct & string;
  readonly as: 'forbidden' | 'invalid' | 'required';
  readonly detail: string;
  /** @param place what is known of where the struct stands */
  readonly broken: (struct: Struct, place: Place) => boolean;
}

export function brokenDemands<Struct, Place>(
  demands: readonly Demand<Struct, Place>[],
  struct: Struct,
  path: string,
  place: Place,
): readonly FieldError[] {
  return foundInEach(demands, ({ at, as, detail, broken }) => {
    if (!broken(struct, place)) return NONE;
    const field = `${path}.${at}`;
    if (as === 'invalid') return [invalid(field, struct[at], detail)];
    return [as === 'required' ? required(field, detail) : forbidden(field, detail)];
  });
}
