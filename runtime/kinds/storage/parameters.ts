/** What classes tell the drivers of volumes. */
import { type FieldError, invalid, required, tooLong } from '../../contract/field-error.ts';
import { qualifiedName } from '../../formats/labels.ts';
import { invalidAs } from '../core/findings.ts';

const MAX_PARAMETERS = 512;
const MAX_BYTES = 256 * 1024;

export type Parameters = Readonly<Record<string, string>>;

/** Bytes of all keys and values together. */
export function bytesOf(map: Parameters): number {
  let size = 0;
  for (const [key, value] of Object.entries(map)) size += Buffer.byteLength(key) + Buffer.byteLength(value);
  return size;
}

/** The name of a driver, whose case does not matter. */
export function validateDriver(name: string, path: string): readonly FieldError[] {
  return name === '' ? [required(path)] : invalidAs(qualifiedName(name.toLowerCase()), path, name.toLowerCase());
}

export function validateParameters(parameters: Parameters = {}, path: string): readonly FieldError[] {
  if (Object.keys(parameters).length > MAX_PARAMETERS) return [tooLong(path, MAX_PARAMETERS)];
  return [
    ...(Object.hasOwn(parameters, '') ? [invalid(path, '', 'field can not be empty.')] : []),
    ...(bytesOf(parameters) > MAX_BYTES ? [tooLong(path, MAX_BYTES)] : []),
  ];
}
