/** Metadata of structural objects: it is decoded as Go's struct and written with members sorted by name. */
import type { Field, StructType, Type } from '../../contract/descriptor.ts';
import type { Identity } from '../../contract/identity.ts';
import { type CompiledStruct, compileType } from '../compile.ts';
import { decode } from '../decode.ts';
import { DecodeError, explain } from '../explain.ts';
import { compareUtf8, isObject, type JsonObject, setMember } from '../json/member.ts';
import { jsonKind } from '../scalar/scalar-error.ts';
import { flatten } from '../stated-rules.ts';
import { untypedValue } from '../untyped.ts';

const sortedStructs = new WeakMap<StructType, StructType>();

/** @param metadata a struct of Go @returns the compiled struct whose members are sorted by name; the same object for each call */
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

/** The error of a JSON value that is no valid metadata; undefined if it is valid. */
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

/** An absent time is left out here, while Go's struct writes null. */
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
 * The valid members, each checked by itself.
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

/** The error of 1.32 for stored metadata that are no object. */
export function noMetadata(value: unknown): DecodeError {
  const isFraction = typeof value === 'number' && !Number.isInteger(value);
  return new DecodeError(`invalid metadata: expected object, got ${isFraction ? 'float64' : GO_KINDS[jsonKind(value)]}`);
}
