/** Names of attributes and capacities. */
import { type FieldError, required, tooLong, typeInvalid } from '../../contract/field-error.ts';
import { cIdentifier } from '../../formats/keys.ts';
import { isLongerThan } from '../../formats/messages.ts';
import { joined, NONE } from '../../validation/joined.ts';
import { validateCsiDriverName } from '../core/volumes/volume-sources.ts';

/** of a name without its domain */
const IDENTIFIER_LENGTH = 32;

/** An identifier, with a driver's domain and a slash in front or without. More slashes are let through. */
export function qualifiedName(name: string): readonly FieldError[] {
  const [first = '', second, ...rest] = name.split('/');
  if (rest.length > 0) return NONE;
  if (second === undefined) return identifier(first);
  const parts: [text: string, what: string, check: (part: string) => readonly FieldError[]][] = [
    [first, 'domain', (domain) => validateCsiDriverName(domain, '')],
    [second, 'name', identifier],
  ];
  return parts.flatMap(([text, what, check]) => (text === '' ? [required('', `the ${what} must not be empty`)] : check(text)));
}

function identifier(name: string): readonly FieldError[] {
  return joined(
    isLongerThan(name, IDENTIFIER_LENGTH) ? [tooLong('', IDENTIFIER_LENGTH)] : NONE,
    cIdentifier(name).map((message) => typeInvalid('', name, message)),
  );
}
