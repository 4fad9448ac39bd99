import { type FieldError, forbidden, required } from '../../contract/field-error.ts';
import type { KindRules } from '../../contract/kind.ts';
import type { ApiObject } from '../../contract/object.ts';
import { deepEqual } from '../../schema/equal.ts';
import { validateDriver, validateParameters } from './parameters.ts';

function validate({ driverName = '', parameters = {} }: ApiObject): FieldError[] {
  return [
    ...validateDriver(driverName, 'driverName'),
    ...validateParameters(parameters, 'parameters'),
    ...(Object.keys(parameters).length === 0 ? [required('parameters', 'must contain at least one key/value pair')] : []),
  ];
}

const FIXED = ['driverName', 'parameters'];

export const rules: KindRules = {
  validate,
  validateUpdate: (object, old) =>
    FIXED.filter((member) => !deepEqual(object[member], old[member])).map((member) =>
      forbidden(member, `updates to ${member} are forbidden.`),
    ),
};
