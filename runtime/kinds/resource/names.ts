/** Names of pools, devices, requests and attributes. */

import { type FieldError, invalid, required, tooLong, typeInvalid } from '../../contract/field-error.ts';
import { slashedSubdomains } from '../../formats/joined-names.ts';
import { cIdentifier } from '../../formats/keys.ts';
import { isLongerThan } from '../../formats/messages.ts';
import { dnsLabel } from '../../formats/names.ts';
import { invalidAs, invalidParts } from '../core/findings.ts';
import { validateCsiDriverName } from '../core/volume-sources.ts';

const DRIVER_LENGTH = 63;
const POOL_LENGTH = 253;
/** Of a name without its domain. */
const IDENTIFIER_LENGTH = 32;
/** Of a name with its domain. */
export const QUALIFIED_NAME_LENGTH = DRIVER_LENGTH + 1 + IDENTIFIER_LENGTH;

/** DNS names joined by slashes. */
export function validatePoolName(name: string, path: string): readonly FieldError[] {
  if (name === '') return [required(path)];
  return [...(isLongerThan(name, POOL_LENGTH) ? [tooLong(path, POOL_LENGTH)] : []), ...invalidParts(slashedSubdomains(name), path)];
}

/** Of a device or of a request. */
export function validateLabelText(name: string, path: string): readonly FieldError[] {
  return invalidAs(dnsLabel(name), path, name);
}

/** Of an attribute or a capacity: an identifier, with a driver's domain and a slash in front or without. More slashes are let through. */
export function validateQualifiedName(name: string, path: string): readonly FieldError[] {
  if (name === '') return [required(path, 'name required')];
  const [first = '', second, ...rest] = name.split('/');
  if (rest.length > 0) return [];
  if (second === undefined) return validateIdentifier(first, path);
  return [
    ...(first === '' ? [required(path, 'the domain must not be empty')] : validateCsiDriverName(first, path)),
    ...(second === '' ? [required(path, 'the name must not be empty')] : validateIdentifier(second, path)),
  ];
}

export function validateFullyQualifiedName(name: string, path: string): readonly FieldError[] {
  const bare = name !== '' && !name.includes('/');
  return [...validateQualifiedName(name, path), ...(bare ? [invalid(path, name, 'must include a domain')] : [])];
}

function validateIdentifier(name: string, path: string): readonly FieldError[] {
  return [
    ...(isLongerThan(name, IDENTIFIER_LENGTH) ? [tooLong(path, IDENTIFIER_LENGTH)] : []),
    ...cIdentifier(name).map((message) => typeInvalid(path, name, message)),
  ];
}
