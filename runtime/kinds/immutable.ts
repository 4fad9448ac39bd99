import { type FieldError, invalid } from '../contract/field-error.ts';
import { deepEqual } from '../schema/equal.ts';

/** An error where a field that is set once has changed. */
export function unchanged(value: unknown, old: unknown, path: string): FieldError[] {
  return deepEqual(value, old) ? [] : [invalid(path, value, 'field is immutable')];
}
