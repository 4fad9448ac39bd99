/**
 * Descriptors: what the generator states about a type, as data. Generated modules build them with the functions below; the
 * interpreters in `runtime/schema/` read them. A custom resource gets descriptors of the same form from its definition at run time.
 *
 * Structs of built-in kinds are Go's (`StructType.go`): a value of another type than the declared one is an error, null is absent, zero values
 * are written or left out. All other structs are structural, as are types that stand in them: what their values are is for validation to say,
 * decoding drops and completes members.
 *
 * Objects in memory are plain JSON objects of one API version, in the shape that the wire has: inline structs are flattened,
 * bytes are base64 text, times are RFC 3339 text. An integer beyond 2^53 is held as `JSON.rawJSON` so that its digits survive.
 */
import type { DefaultRule } from './default-rule.ts';

export type ScalarName =
  | 'string'
  | 'boolean'
  | 'int32'
  | 'int64'
  | 'double'
  /** base64 text (RFC 4648, standard alphabet, padded) */
  | 'bytes'
  /** RFC 3339 in UTC, whole seconds */
  | 'time'
  /** RFC 3339 in UTC, microseconds */
  | 'microTime'
  /** text such as "1h30m0s" */
  | 'duration'
  /** canonical quantity text such as "100m" or "2Gi" */
  | 'quantity'
  | 'intOrString'
  /** any JSON object, kept as it is; in protobuf its JSON bytes */
  | 'rawExtension'
  /** a field set tree, kept as it is; in protobuf its JSON bytes */
  | 'fieldsV1'
  /** any JSON value; in protobuf a message with its JSON bytes */
  | 'json'
  | UnionName;

/**
 * Values of two forms, one of which is a struct; the other is a boolean, a list of such structs, a list of names. In protobuf each is a
 * message that holds the one or the other. As 1.32 reads them, unknown members within are dropped without a word.
 */
export type UnionName = 'structOrBoolean' | 'structOrList' | 'structOrNames';

/** How error messages name a type that has a name of its own, such as `v1.Protocol` or `v1.ResourceList`. */
interface Named {
  readonly typeName?: string;
}

/** What a structural type says of its values, wherever it stands: as a member, as an element of a list, as a value of a map. */
export interface StructuralValue {
  /** null is a value. Absent: null becomes the default, or the member is dropped */
  readonly nullable?: true;
  /** undeclared members of the object that it is stay, and of objects in the list that it is. Absent: they are dropped, and told of */
  readonly preservesUnknown?: true;
  /** what a member is that is absent, and what an element or a map's value is that is null; null: nothing */
  readonly default?: unknown;
}

export interface ScalarType extends Named, StructuralValue {
  readonly kind: 'scalar';
  readonly scalar: ScalarName;
  /** of a union: its struct, which may hold the union in turn */
  readonly struct?: () => StructType;
}

export interface ListType extends Named, StructuralValue {
  readonly kind: 'list';
  readonly element: Type;
  /** whether elements are owned one by one: scalars by their value, structs by `listMapKeys`. Absent: the list has one owner, and one value */
  readonly listType?: 'set' | 'map';
  /** of a map: the members by which elements are told apart */
  readonly listMapKeys?: readonly string[];
}

/** A JSON object with string keys and values of one type. A map of lists is in protobuf a map of messages with one repeated field 1. */
export interface MapType extends Named, StructuralValue {
  readonly kind: 'map';
  readonly value: Type;
  /** one owner and one value for the whole map. Absent: entries are owned one by one */
  readonly mapType?: 'atomic';
}

export interface StructType extends StructuralValue {
  readonly kind: 'struct';
  /** definition name, such as `io.k8s.api.core.v1.PodSpec`; of Go's structs unique in the process, but for their uses */
  readonly name: string;
  /** a struct of Go's. Absent: it is structural */
  readonly go?: true;
  /** of a struct of Go's in the order in which members are written to JSON; members of a structural one are written by their names */
  readonly fields: readonly Field[];
  /** one owner and one value for the whole struct (structs that are replaced as a whole). Absent: members are owned one by one */
  readonly mapType?: 'atomic';
  /** defaults that depend on other members, in the order in which they are set */
  readonly defaults?: readonly DefaultRule[];
  /** of a structural one: it is an object of an API, with apiVersion and kind, and metadata of this type, a struct of Go's */
  readonly metadata?: StructType;
  /** of a structural one: the type of members that are not declared */
  readonly others?: Type;
}

/** A structural value of any type. */
export interface AnyType extends StructuralValue {
  readonly kind: 'any';
  /** what it is where it is an object. Absent: an object without declared members */
  readonly object?: StructType | MapType;
  /** what it is where it is a list. Absent: a list of values of any type */
  readonly list?: ListType;
}

export type Type = ScalarType | ListType | MapType | StructType | AnyType;

export interface Field {
  /** JSON name. Of an inline field it is only the protobuf name: its members stand in the enclosing JSON object. */
  readonly name: string;
  readonly type: Type;
  /** protobuf field number, 1 to 2^29-1; absent for types that have no protobuf form (custom resources) */
  readonly number?: number;
  /** set where the field is absent (or, without `go.pointer`, zero) when an object of this version is decoded */
  readonly default?: unknown;
  readonly patchStrategies?: readonly ('merge' | 'replace' | 'retainKeys')[];
  readonly patchMergeKey?: string;
  /** the field is dropped while this feature gate is off */
  readonly featureGate?: string;
  /** what a value of the field becomes while the gate is off, instead of being dropped */
  readonly whileGated?: unknown;
  /** of a field that holds an object of another kind: what stands in there stays, whatever gates it is behind */
  readonly ungated?: true;
  /** of metadata: keys, with identity placeholders, of annotations that are dropped from what is written */
  readonly droppedAnnotations?: readonly string[];
  /** absent: none of all that; or the field is one of a structural struct */
  readonly go?: GoField;
}

/** What a field is because its struct is one of Go's. */
export interface GoField {
  /** absent and zero are different values */
  readonly pointer?: true;
  /** the zero value is written too (null for a pointer, a list or a map) */
  readonly always?: true;
  /** a struct whose members stand in the JSON object of the struct that has the field */
  readonly inline?: true;
  /** a list that is in protobuf a message with one repeated field of number 1 */
  readonly wrapped?: true;
  /** absent where rules say it all: the same place, the name with a capital, an initialism in capitals */
  readonly internal?: GoFieldForm;
}

/** How a struct that 1.32 prints in messages has the field: those are structs of the server's own, not quite those of the wire. */
export interface GoFieldForm {
  readonly name?: string;
  /** JSON name of the field that it follows there */
  readonly after?: string;
  /** JSON name of the field of the same struct whose struct has it, before its own */
  readonly in?: string;
  /** false: a pointer on the wire alone */
  readonly pointer?: false;
  /** true: the struct has no such field */
  readonly absent?: true;
}

const scalar = (name: ScalarName): ScalarType => Object.freeze({ kind: 'scalar', scalar: name });

export const string = scalar('string');
export const boolean = scalar('boolean');
export const int32 = scalar('int32');
export const int64 = scalar('int64');
export const double = scalar('double');
export const bytes = scalar('bytes');
export const time = scalar('time');
export const microTime = scalar('microTime');
export const duration = scalar('duration');
export const quantity = scalar('quantity');
export const intOrString = scalar('intOrString');
export const rawExtension = scalar('rawExtension');
export const fieldsV1 = scalar('fieldsV1');
export const json = scalar('json');

/** @param struct called when the union is first used */
export function union(name: UnionName, struct: () => StructType): ScalarType {
  return { kind: 'scalar', scalar: name, struct };
}

export function list(element: Type): ListType {
  return { kind: 'list', element };
}

/** A list of scalars, each at most once. */
export function set(element: Type): ListType {
  return { kind: 'list', element, listType: 'set' };
}

/** A list of structs. @param listMapKeys names of the members that tell them apart */
export function keyedList(element: Type, listMapKeys: readonly string[]): ListType {
  return { kind: 'list', element, listType: 'map', listMapKeys };
}

export function map(value: Type): MapType {
  return { kind: 'map', value };
}

export function atomicMap(value: Type): MapType {
  return { kind: 'map', value, mapType: 'atomic' };
}

/** @param typeName as error messages name the type */
export function named<T extends ScalarType | ListType | MapType>(typeName: string, type: T): T {
  return { ...type, typeName };
}

/**
 * A struct of Go's.
 * @param fields called once, when the fields are first read: types may refer to each other in a circle and across modules
 */
export function struct(
  name: string,
  fields: () => readonly Field[],
  { mapType, defaults }: Pick<StructType, 'mapType' | 'defaults'> = {},
): StructType {
  let built: readonly Field[] | undefined;
  return {
    kind: 'struct',
    name,
    go: true,
    ...(mapType !== undefined && { mapType }),
    ...(defaults !== undefined && { defaults }),
    get fields() {
      built ??= fields();
      return built;
    },
  };
}

/** A use of a struct that has one owner as a whole, whatever other uses have. */
export function atomic(type: StructType): StructType {
  return struct(type.name, () => type.fields, { ...optionsOf(type), mapType: 'atomic' });
}

/** A use of a struct whose members are owned one by one, whatever other uses have. */
export function granular(type: StructType): StructType {
  return struct(type.name, () => type.fields, optionsOf(type));
}

function optionsOf({ defaults }: StructType): Pick<StructType, 'defaults'> {
  return defaults === undefined ? {} : { defaults };
}
