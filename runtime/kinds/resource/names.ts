/** Names of pools, devices, requests and attributes. */
import { type FieldError, invalid, required, tooLong, typeInvalid } from '../../contract/field-error.ts';
import { invalidAs } from '../core/findings.ts';
import { validateCsiDriverName } from '../core/volume-sources.ts';
import { dnsLabel, dnsSubdomain, isLongerThan, patternMessage } from '../metadata/names.ts';

const DRIVER_LENGTH = 63;
const POOL_LENGTH = 253;
/** Of a name without its domain. */
const IDENTIFIER_LENGTH = 32;
/** Of a name with its domain. */
export const QUALIFIED_NAME_LENGTH = DRIVER_LENGTH + 1 + IDENTIFIER_LENGTH;

const IDENTIFIER = '[A-Za-z_][A-Za-z0-9_]*';
const identifierPattern = new RegExp(`^${IDENTIFIER}$`);
const IDENTIFIER_MESSAGE = patternMessage(
  "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_'",
  IDENTIFIER,
  'my_name',
  'MY_NAME',
  'MyName',
);

/** DNS names joined by slashes. */
export function validatePoolName(name: string, path: string): readonly FieldError[] {
  if (name === '') return [required(path)];
  return [
    ...(isLongerThan(name, POOL_LENGTH) ? [tooLong(path, POOL_LENGTH)] : []),
    ...name.split('/').flatMap((part) => invalidAs(dnsSubdomain(part), path, part)),
  ];
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
    ...(identifierPattern.test(name) ? [] : [typeInvalid(path, name, IDENTIFIER_MESSAGE)]),
  ];
}
