/** Entries of `metadata.managedFields`. */
import { type FieldError, invalid, tooLong } from '../../contract/field-error.ts';

const MANAGER_LENGTH = 128;
const SUBRESOURCE_LENGTH = 256;
const NO_ERRORS: readonly FieldError[] = [];

interface Entry {
  readonly manager?: string;
  readonly operation?: string;
  readonly fieldsType?: string;
  readonly subresource?: string;
}

export function validateManagedFields(entries: readonly unknown[] | undefined, path: string): readonly FieldError[] {
  if (entries === undefined) return NO_ERRORS;
  return entries.flatMap((entry, index) => validateEntry(entry as Entry, `${path}[${index}]`));
}

function validateEntry({ manager = '', operation = '', fieldsType = '', subresource = '' }: Entry, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (operation !== 'Apply' && operation !== 'Update') errors.push(invalid(`${path}.operation`, operation, 'must be `Apply` or `Update`'));
  if (fieldsType !== '' && fieldsType !== 'FieldsV1') errors.push(invalid(`${path}.fieldsType`, fieldsType, 'must be `FieldsV1`'));
  errors.push(...validateFieldManager(manager, `${path}.manager`));
  if (Buffer.byteLength(subresource) > SUBRESOURCE_LENGTH) errors.push(tooLong(`${path}.subresource`, SUBRESOURCE_LENGTH));
  return errors;
}

/** The name that a client gives itself: at most 128 bytes, printable. */
export function validateFieldManager(manager: string, path: string): FieldError[] {
  if (PLAIN_MANAGER.test(manager)) return [];
  const errors = Buffer.byteLength(manager) > MANAGER_LENGTH ? [tooLong(path, MANAGER_LENGTH)] : [];
  let position = 0;
  for (const character of manager) {
    if (!PRINTABLE.test(character))
      errors.push(invalid(path, manager, `invalid character ${codePoint(character)} (at position ${position})`));
    position += Buffer.byteLength(character);
  }
  return errors;
}

const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;

const PLAIN_MANAGER = /^[\x20-\x7e]{0,128}$/;

/** The name of a client that gives none: its User-Agent up to the first slash, without what is not printable, in 128 bytes. */
export function managerOfUserAgent(userAgent: string): string {
  const [product = ''] = userAgent.split('/', 1);
  if (PLAIN_MANAGER.test(product)) return product;
  let manager = '';
  let length = 0;
  for (const character of Buffer.from(product, 'latin1').toString('utf8')) {
    length += PRINTABLE.test(character) ? Buffer.byteLength(character) : 0;
    if (length > MANAGER_LENGTH) break;
    if (PRINTABLE.test(character)) manager += character;
  }
  return manager;
}

function codePoint(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}
