/** Ways to word field errors that only the kinds of this group need. */
import type { FieldError } from '../../contract/field-error.ts';
import { goTime } from '../../go-text/times.ts';

/** An error of a whole struct or list: its value is not shown. */
export function invalidWithoutValue(field: string, detail: string): FieldError {
  return { reason: 'FieldValueInvalid', field, message: `Invalid value: ${detail}` };
}

/** An error of a time. @param time RFC 3339 in UTC, whole seconds; shown as 1.32 shows it */
export function invalidTime(field: string, time: string, detail: string): FieldError {
  return { reason: 'FieldValueInvalid', field, message: `Invalid value: ${goTime(time)}: ${detail}` };
}

/** What a missing value may be, such as `valid values: ["In" "NotIn"]`. */
export const validValues = (values: readonly string[]): string =>
  `valid values: [${values.map((value) => JSON.stringify(value)).join(' ')}]`;
