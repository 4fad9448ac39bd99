/** Types of expressions (language definition of CEL, section Gradual Type Checking). */

export type SimpleKind =
  | 'dyn'
  | 'error'
  | 'null'
  | 'bool'
  | 'int'
  | 'uint'
  | 'double'
  | 'string'
  | 'bytes'
  | 'timestamp'
  | 'duration'
  | 'any';

/** A type with parts. The number of parts is counted and limited, because each step of an expression can double it. */
interface Composite {
  /** number of this type and all its parts */
  readonly size: number;
}

export interface ListType extends Composite {
  readonly kind: 'list';
  readonly element: Type;
}
export interface MapType extends Composite {
  readonly kind: 'map';
  readonly key: Type;
  readonly value: Type;
}
/** the type of a type */
export interface TypeType extends Composite {
  readonly kind: 'type';
  readonly of: Type;
}
/** a primitive type that may be null */
export interface WrapperType extends Composite {
  readonly kind: 'wrapper';
  readonly of: Type;
}
/** A library's type; two are the same if their names and parameters are. */
export interface OpaqueType extends Composite {
  readonly kind: 'opaque';
  readonly name: string;
  readonly parameters: readonly Type[];
}
/** An object type with declared fields; two are the same if their names are. */
export interface StructType {
  readonly kind: 'struct';
  readonly name: string;
  /** whether its fields are unknown; default: false */
  readonly closed?: boolean;
  /** @returns undefined if the type has no such field */
  field(name: string): Type | undefined;
}
/** A type parameter of an overload, or a type that the checker has yet to infer. */
export interface ParameterType {
  readonly kind: 'parameter';
  readonly name: string;
}

export type Type = { readonly kind: SimpleKind } | ListType | MapType | TypeType | WrapperType | OpaqueType | StructType | ParameterType;

export const DYN: Type = { kind: 'dyn' };
export const ERROR: Type = { kind: 'error' };
export const NULL: Type = { kind: 'null' };
export const BOOL: Type = { kind: 'bool' };
export const INT: Type = { kind: 'int' };
export const UINT: Type = { kind: 'uint' };
export const DOUBLE: Type = { kind: 'double' };
export const STRING: Type = { kind: 'string' };
export const BYTES: Type = { kind: 'bytes' };
export const TIMESTAMP: Type = { kind: 'timestamp' };
export const DURATION: Type = { kind: 'duration' };
export const ANY: Type = { kind: 'any' };

/** The checker refuses types with more parts. */
export const MAX_TYPE_SIZE = 1_000;

const sizeOf = (type: Type): number => ('size' in type ? type.size : 1);
const sizeWith = (...parts: readonly Type[]): number => parts.reduce((sum, part) => sum + sizeOf(part), 1);
export const isTooLarge = (type: Type): boolean => sizeOf(type) > MAX_TYPE_SIZE;

export const listOf = (element: Type): ListType => ({ kind: 'list', element, size: sizeWith(element) });
export const mapOf = (key: Type, value: Type): MapType => ({ kind: 'map', key, value, size: sizeWith(key, value) });
export const typeOfType = (of: Type): TypeType => ({ kind: 'type', of, size: sizeWith(of) });
export const nullable = (of: Type): WrapperType => ({ kind: 'wrapper', of, size: sizeWith(of) });
export const opaque = (name: string, ...parameters: readonly Type[]): OpaqueType => ({
  kind: 'opaque',
  name,
  parameters,
  size: sizeWith(...parameters),
});
export const parameter = (name: string): ParameterType => ({ kind: 'parameter', name });
export const struct = (name: string, fields: Readonly<Record<string, Type>>): StructType => ({
  kind: 'struct',
  name,
  field: (field) => (Object.hasOwn(fields, field) ? fields[field] : undefined),
});

/** A library's type without fields: only functions can read its parts. */
export const closedStruct = (name: string): StructType => ({ kind: 'struct', name, closed: true, field: () => undefined });

const OPTIONAL = 'optional_type';
export const optionalOf = (of: Type): OpaqueType => opaque(OPTIONAL, of);
/** @returns the content type of an optional type; undefined for other types */
export const optionalElement = (type: Type): Type | undefined =>
  type.kind === 'opaque' && type.name === OPTIONAL ? type.parameters[0] : undefined;

export const isDyn = (type: Type): boolean => type.kind === 'dyn' || type.kind === 'any';
export const isDynOrError = (type: Type): boolean => isDyn(type) || type.kind === 'error';

/** The parts of a type that are types, in the order of its text. */
export function partsOf(type: Type): readonly Type[] {
  switch (type.kind) {
    case 'list':
      return [type.element];
    case 'map':
      return [type.key, type.value];
    case 'type':
    case 'wrapper':
      return [type.of];
    case 'opaque':
      return type.parameters;
    default:
      return [];
  }
}

/** The type with other parts, in the order of `partsOf`. */
export function withParts(type: Type, parts: readonly Type[]): Type {
  switch (type.kind) {
    case 'list':
      return listOf(parts[0] as Type);
    case 'map':
      return mapOf(parts[0] as Type, parts[1] as Type);
    case 'type':
      return typeOfType(parts[0] as Type);
    case 'wrapper':
      return nullable(parts[0] as Type);
    case 'opaque':
      return opaque(type.name, ...parts);
    default:
      return type;
  }
}

/** Whether both have the same kind and name, whatever their parts. */
export function sameHead(a: Type, b: Type): boolean {
  return a.kind === b.kind && (!('name' in a) || a.name === (b as { name?: string }).name);
}

export function sameType(a: Type, b: Type): boolean {
  if (a === b) return true;
  if (!sameHead(a, b)) return false;
  const [left, right] = [partsOf(a), partsOf(b)];
  return left.length === right.length && left.every((part, index) => sameType(part, right[index] as Type));
}

const TEXTS: Readonly<Partial<Record<Type['kind'], string>>> = { error: '!error!' };

/** A type in messages, such as `map(string, list(int))`. */
export function typeText(type: Type): string {
  switch (type.kind) {
    case 'struct':
    case 'parameter':
      return type.name;
    case 'opaque':
      return type.parameters.length === 0 ? type.name : `${type.name}(${type.parameters.map(typeText).join(', ')})`;
    case 'list':
    case 'map':
    case 'type':
    case 'wrapper':
      return `${type.kind}(${partsOf(type).map(typeText).join(', ')})`;
    default:
      return TEXTS[type.kind] ?? type.kind;
  }
}

const NAMES: Readonly<Partial<Record<Type['kind'], string>>> = {
  null: 'null_type',
  timestamp: 'google.protobuf.Timestamp',
  duration: 'google.protobuf.Duration',
  any: 'google.protobuf.Any',
};

/** The name of a type in expressions, such as `int`, `list` or `google.protobuf.Timestamp`. */
export function typeName(type: Type): string {
  if ('name' in type) return type.name;
  return type.kind === 'wrapper' ? typeName(type.of) : (NAMES[type.kind] ?? type.kind);
}

/** The arguments of a call in messages: `(int, string)`, or `string.(int)` with a target. */
export function argumentsText(types: readonly Type[], onTarget: boolean): string {
  const texts = types.map(typeText);
  return onTarget ? `${texts[0]}.(${texts.slice(1).join(', ')})` : `(${texts.join(', ')})`;
}
