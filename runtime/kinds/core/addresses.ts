/** Lists of IP addresses and ranges. */
import { type FieldError, internal, invalid } from '../../contract/field-error.ts';
import { familyOf, familyOfRange } from '../../formats/addresses.ts';

/**
 * Of a list that may hold one value of each family.
 * @param noun `IP` or `CIDR`, as it is named to the user
 */
export function validateOnePerFamily(values: readonly string[], path: string, shown: unknown, noun: 'IP' | 'CIDR'): FieldError[] {
  if (values.length < 2) return [];
  const families = values.map((value) => (noun === 'IP' ? familyOf(value) : familyOfRange(value)));
  const wrong = families.indexOf(undefined);
  const errors: FieldError[] = [];
  if (wrong !== -1) errors.push(internal(path, wrongValue(values[wrong] as string, wrong, noun)));
  if (wrong !== -1 || new Set(families).size < 2 || values.length > 2)
    errors.push(invalid(path, shown, `may specify no more than one ${noun} for each IP family`));
  return errors;
}

function wrongValue(value: string, index: number, noun: 'IP' | 'CIDR'): string {
  return noun === 'IP'
    ? `failed to check for dual stack with error:invalid IP[${index}]: ${value}`
    : `invalid PodCIDRs. failed to check with dual stack with error:invalid CIDR[${index}]: ${value} (invalid CIDR address: ${value})`;
}
