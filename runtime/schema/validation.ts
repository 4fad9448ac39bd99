/** Violations of a schema's constraints, as ajv reports them, as field errors with 1.32's messages. */
import { type FieldError, invalid, notSupported, required, tooLong, tooMany, typeInvalid } from '../contract/field-error.ts';
import type { SchemaValidator, SchemaViolation } from '../contract/kind.ts';

export function schemaErrors(validator: SchemaValidator, object: unknown): FieldError[] {
  if (validator(object)) return [];
  return (validator.errors ?? []).flatMap((violation) => fieldErrors(violation, object));
}

function fieldErrors(violation: SchemaViolation, object: unknown): FieldError[] {
  const { keyword, params } = violation;
  const path = fieldPath(violation.instancePath, object);
  const value = violation.data ?? valueAt(violation.instancePath, object);
  const limit = Number(params.limit);
  switch (keyword) {
    case 'required':
      return [required(join(path, String(params.missingProperty)))];
    case 'minimum':
      return [invalid(path, value, `must be greater than or equal to ${limit}`)];
    case 'maximum':
      return [invalid(path, value, `must be less than or equal to ${limit}`)];
    case 'exclusiveMinimum':
      return [invalid(path, value, `must be greater than ${limit}`)];
    case 'exclusiveMaximum':
      return [invalid(path, value, `must be less than ${limit}`)];
    case 'enum':
      return [notSupported(path, value, [...(params.allowedValues as string[])].sort())];
    case 'minLength':
    case 'minItems':
    case 'minProperties':
      return [required(path)];
    case 'maxLength':
      return [tooLong(path, limit)];
    case 'maxItems':
    case 'maxProperties':
      return [tooMany(path, sizeOf(value), limit)];
    case 'pattern':
      return [invalid(path, value, `must match the regex ${String(params.pattern)}`)];
    case 'type':
      return [typeInvalid(path, value, `must be of type ${String(params.type)}`)];
    // The branches of a combination report for themselves.
    case 'allOf':
    case 'if':
      return [];
    default:
      return [invalid(path, value, violation.message ?? `must satisfy ${keyword}`)];
  }
}

function sizeOf(value: unknown): number {
  return Array.isArray(value) ? value.length : Object.keys((value ?? {}) as object).length;
}

function join(path: string, member: string): string {
  return path === '' ? member : `${path}.${member}`;
}

/** A JSON pointer as a field path: positions and keys of maps in brackets where the parent is a list or the name is no identifier. */
function fieldPath(pointer: string, object: unknown): string {
  let path = '';
  let at: unknown = object;
  for (const part of partsOf(pointer)) {
    if (Array.isArray(at)) path += `[${part}]`;
    else path = /^[A-Za-z_$][\w$-]*$/.test(part) ? join(path, part) : `${path}[${part}]`;
    at = (at as Record<string, unknown> | undefined)?.[part];
  }
  return path;
}

function valueAt(pointer: string, object: unknown): unknown {
  return partsOf(pointer).reduce<unknown>((at, part) => (at as Record<string, unknown> | undefined)?.[part], object);
}

function partsOf(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}
