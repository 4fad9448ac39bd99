/** Where a pod looks up names. */
import { type FieldError, invalid } from '../../contract/field-error.ts';
import { dnsSubdomain } from '../../formats/names.ts';
import { foundInEach, joined, NONE } from '../joined.ts';
import { invalidAs } from './findings.ts';

const MAX_CHARACTERS = 2_048;

/** A resolver reads all search domains from one line. Each may end with a dot. */
export function searches(list: readonly string[]): readonly FieldError[] {
  const detail = `must not have more than ${MAX_CHARACTERS} characters (including spaces) in the search list`;
  return joined(
    list.join(' ').length > MAX_CHARACTERS ? [invalid('', list, detail)] : NONE,
    foundInEach(list, (search, index) => {
      const name = search.endsWith('.') ? search.slice(0, -1) : search;
      return invalidAs(dnsSubdomain(name), `[${index}]`, name);
    }),
  );
}
