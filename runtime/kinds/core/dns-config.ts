/** Where a pod looks up names. */
import type { FieldError } from '../../contract/field-error.ts';
import { dnsSubdomain } from '../../formats/names.ts';
import { invalidAs } from '../findings.ts';

const MAX_CHARACTERS = 2_048;

/** A resolver reads all search domains from one line. */
export function fitsOneLine(searches: readonly string[]): boolean {
  return searches.join(' ').length <= MAX_CHARACTERS;
}

/** Each may end with a dot. */
export function search(domain: string): readonly FieldError[] {
  const name = domain.endsWith('.') ? domain.slice(0, -1) : domain;
  return invalidAs(dnsSubdomain(name), '', name);
}
