/** What claims and classes say of devices in the same way: conditions on them and settings for them. */
import { type FieldError, invalid, required, tooLong } from '../../contract/field-error.ts';
import { isLongerThan } from '../../formats/messages.ts';
import { validateCsiDriverName } from '../core/volume-sources.ts';
import type { Struct } from '../struct.ts';

/** Most conditions of a request or class, and most settings of a claim or class. */
export const SELECTORS_LIMIT = 32;
export const CONFIGURATIONS_LIMIT = 32;
const EXPRESSION_LENGTH = 10 * 1024;
const PARAMETERS_LENGTH = 10 * 1024;

export function validateDeviceSelector({ cel }: Struct, path: string): FieldError[] {
  if (cel === undefined) return [required(`${path}.cel`)];
  return isLongerThan(cel.expression ?? '', EXPRESSION_LENGTH) ? [tooLong(`${path}.cel.expression`, EXPRESSION_LENGTH)] : [];
}

/** @param stored whether the settings were stored before: those of an older release may be longer than the limit */
export function validateConfiguration({ opaque }: Struct, path: string, stored: boolean): FieldError[] {
  const at = `${path}.opaque`;
  if (opaque === undefined) return [required(at)];
  return [
    ...validateCsiDriverName(opaque.driver, `${at}.driver`),
    ...validateData(opaque.parameters, `${at}.parameters`, stored ? Number.POSITIVE_INFINITY : PARAMETERS_LENGTH),
  ];
}

/**
 * Of data in a form that the driver defines: an object.
 * @param limit bytes of JSON
 */
export function validateData(data: unknown, path: string, limit: number): FieldError[] {
  if (data === undefined || data === null) return [required(path)];
  if (Number.isFinite(limit) && isLongerThan(JSON.stringify(data), limit)) return [tooLong(path, limit)];
  return typeof data === 'object' && !Array.isArray(data)
    ? []
    : [invalid(path, '<value omitted>', 'parameters must be a valid JSON object')];
}
