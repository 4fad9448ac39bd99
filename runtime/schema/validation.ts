/** Violations of a schema's constraints, as ajv reports them, as field errors with 1.32's messages. */
import { type FieldError, invalid, notSupported, required, tooLong, tooMany, typeInvalid } from '../contract/field-error.ts';
import type { SchemaValidator, SchemaViolation } from '../contract/kind.ts';
import { Code, type CompiledList, type CompiledMap, type CompiledStruct, type CompiledType } from './compile.ts';

/** @param type of the object; without it a key of a map is told from a member by its look alone */
export function schemaErrors(validator: SchemaValidator, object: unknown, type?: CompiledStruct): FieldError[] {
  if (validator(object)) return [];
  return (validator.errors ?? []).flatMap((violation) => fieldErrors(violation, object, type));
}

function fieldErrors(violation: SchemaViolation, object: unknown, type: CompiledStruct | undefined): FieldError[] {
  const { keyword, params } = violation;
  const path = fieldPath(violation.instancePath, object, type);
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

/** A JSON pointer as a field path: positions in lists and keys of maps stand in brackets. */
function fieldPath(pointer: string, object: unknown, type: CompiledType | undefined): string {
  let path = '';
  let value: unknown = object;
  let at = type;
  for (const part of partsOf(pointer)) {
    const bracketed = at === undefined ? Array.isArray(value) || !/^[A-Za-z_$][\w$-]*$/.test(part) : at.code !== Code.struct;
    path = bracketed ? `${path}[${part}]` : join(path, part);
    value = (value as Record<string, unknown> | undefined)?.[part];
    at = at === undefined ? undefined : within(at, part);
  }
  return path;
}

function within(type: CompiledType, name: string): CompiledType | undefined {
  switch (type.code) {
    case Code.list:
      return (type as CompiledList).element;
    case Code.map:
      return (type as CompiledMap).value;
    case Code.struct:
      return (type as CompiledStruct).byName.get(name)?.type;
    default:
      return undefined;
  }
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
