/** Metadata of structural objects: a struct of Go's for reading, members in the order of their names for writing. */
import type { Field, StructType, Type } from '../../contract/descriptor.ts';
import type { Identity } from '../../contract/identity.ts';
import { type CompiledStruct, compileType } from '../compile.ts';
import { decode } from '../decode.ts';
import { DecodeError, explain } from '../explain.ts';
import { compareUtf8, isObject, type JsonObject, setMember } from '../member.ts';
import { jsonKind } from '../scalar/scalar-error.ts';
import { flatten } from '../stated-rules.ts';
import { untypedValue } from '../untyped.ts';

const sortedStructs = new WeakMap<StructType, StructType>();

/** @param metadata a struct of Go's. @returns the one that decodes to members in the order of their names; the same for each call */
export function metadataOf(metadata: StructType, identity: Identity): CompiledStruct {
  return compileType(sortedStruct(metadata), identity);
}

function sortedStruct(struct: StructType): StructType {
  let sorted = sortedStructs.get(struct);
  if (sorted === undefined) {
    sorted = withFields(struct, () =>
      flatten(struct)
        .map(sortedField)
        .sort((a, b) => compareUtf8(a.name, b.name)),
    );
    sortedStructs.set(struct, sorted);
  }
  return sorted;
}

/** Why a JSON value cannot be read as such metadata; undefined: it can. */
export function metadataProblem(metadata: StructType, identity: Identity, value: unknown): string | undefined {
  return explain(metadataOf(metadata, identity), untypedValue(value), 'byName').error?.message;
}

function withFields({ name, mapType }: StructType, fields: () => readonly Field[]): StructType {
  let made: readonly Field[] | undefined;
  return {
    kind: 'struct',
    name,
    go: true,
    ...(mapType !== undefined && { mapType }),
    get fields() {
      made ??= fields();
      return made;
    },
  };
}

/** A time that is not there is left out, where a struct of Go's writes null. */
function sortedField(field: Field): Field {
  const isTime = field.type.kind === 'scalar' && field.type.scalar === 'time';
  return { ...field, type: sortedType(field.type), ...(isTime && { go: { ...field.go, pointer: true } }) };
}

function sortedType(type: Type): Type {
  if (type.kind === 'struct') return sortedStruct(type);
  if (type.kind === 'list') return { ...type, element: sortedType(type.element) };
  return type.kind === 'map' ? { ...type, value: sortedType(type.value) } : type;
}

/**
 * The members that can be read, one by one.
 * @returns undefined for a value that is no object
 */
export function validMembers(metadata: CompiledStruct, value: unknown): JsonObject | undefined {
  if (!isObject(value)) return undefined;
  const valid: JsonObject = {};
  for (const name of Object.keys(value)) if (isValid(metadata, { [name]: value[name] })) setMember(valid, name, value[name]);
  return valid;
}

function isValid(metadata: CompiledStruct, members: JsonObject): boolean {
  try {
    decode(metadata, members, { defaults: false });
    return true;
  } catch (error) {
    if (error instanceof DecodeError) return false;
    throw error;
  }
}

const GO_KINDS: Readonly<Record<string, string>> = { array: '[]interface {}', string: 'string', bool: 'bool', number: 'int64' };

/** What 1.32 says of metadata of a stored object that are no object. */
export function noMetadata(value: unknown): DecodeError {
  const isFraction = typeof value === 'number' && !Number.isInteger(value);
  return new DecodeError(`invalid metadata: expected object, got ${isFraction ? 'float64' : GO_KINDS[jsonKind(value)]}`);
}
