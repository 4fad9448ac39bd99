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
  /** a time by RFC 3339 in UTC, in whole seconds */
  | 'time'
  /** a time by RFC 3339 in UTC, with microseconds */
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
 * Values of two forms: one is a struct, the other a boolean, a list of such structs, or a list of names. In protobuf, a message contains one or the other. As
 * in 1.32, unknown members in them are dropped without an error or a warning.
 */
export type UnionName = 'structOrBoolean' | 'structOrList' | 'structOrNames';

/** A type that may have a name of its own, such as `v1.Protocol` or `v1.ResourceList`, by which error messages call it. */
interface Named {
  readonly typeName?: string;
}

/** What a structural type states about its values, whether they are members, elements of a list or values of a map. */
export interface StructuralValue {
  /** true if null is a value; otherwise null is replaced by the default, or the member is dropped */
  readonly nullable?: true;
  /** true if undeclared members stay, of the value if it is an object, and of the objects in it if it is a list; otherwise they are dropped and reported */
  readonly preservesUnknown?: true;
  /** the value of a member that is absent, and of an element or a map's value that is null; absent or null if there is none */
  readonly default?: unknown;
}

export interface ScalarType extends Named, StructuralValue {
  readonly kind: 'scalar';
  readonly scalar: ScalarName;
  /** Returns the struct of a union, which may contain the union in turn; absent for other scalars. */
  readonly struct?: () => StructType;
}

export interface ListType extends Named, StructuralValue {
  readonly kind: 'list';
  readonly element: Type;
  /**
   * how elements that are owned one by one are identified: in a `set` by their values, in a `map` by `listMapKeys`; absent if the list is owned and applied as
   * a whole
   */
  readonly listType?: 'set' | 'map';
  /** the members that identify the elements of a list of the type `map` */
  readonly listMapKeys?: readonly string[];
}

/** A JSON object with string keys and values of one type. In protobuf, the lists of a map of lists are messages with one repeated field, number 1. */
export interface MapType extends Named, StructuralValue {
  readonly kind: 'map';
  readonly value: Type;
  /** set if the map is owned and applied as a whole; absent if its entries are owned one by one */
  readonly mapType?: 'atomic';
}

export interface StructType extends StructuralValue {
  readonly kind: 'struct';
  /** the definition name, such as `io.k8s.api.core.v1.PodSpec`; no two structs of Go have the same, apart from the results of `atomic` and `granular` */
  readonly name: string;
  /** true for a struct of Go; absent for a structural one */
  readonly go?: true;
  /** the fields; those of a struct of Go in the order in which JSON has them, while JSON has the members of a structural struct in the order of their names */
  readonly fields: readonly Field[];
  /** set if the struct is owned and applied as a whole; absent if its members are owned one by one */
  readonly mapType?: 'atomic';
  /** defaults that depend on other members, in the order in which they are set */
  readonly defaults?: readonly DefaultRule[];
  /** the type of the metadata, a struct of Go, if this is a structural struct of API objects, which also have `apiVersion` and `kind`; otherwise absent */
  readonly metadata?: StructType;
  /** the type of the members of a structural struct that are not declared; absent if there can be none */
  readonly others?: Type;
}

/** The type of structural values that may have any form. */
export interface AnyType extends StructuralValue {
  readonly kind: 'any';
  /** the type of a value that is an object; absent if its members are not declared */
  readonly object?: StructType | MapType;
  /** the type of a value that is a list; absent if its elements may have any form */
  readonly list?: ListType;
}

export type Type = ScalarType | ListType | MapType | StructType | AnyType;

export interface Field {
  /** the name in JSON; for an inline field, whose members are in the JSON object of its struct, only the name in protobuf */
  readonly name: string;
  readonly type: Type;
  /** the number of the field in protobuf, 1 to 2^29-1; absent in types without a protobuf form, which are those of custom resources */
  readonly number?: number;
  /** the value that decoding sets if the field is absent or, without `go.pointer`, zero */
  readonly default?: unknown;
  readonly patchStrategies?: readonly ('merge' | 'replace' | 'retainKeys')[];
  readonly patchMergeKey?: string;
  /** the feature gate without which the field is dropped; absent if it does not depend on one */
  readonly featureGate?: string;
  /** the value that a value of the field is replaced by while the gate is off; absent if the field is dropped then */
  readonly whileGated?: unknown;
  /** true for a field that contains an object of another kind, whose own fields stay even if their feature gates are off */
  readonly ungated?: true;
  /** how the gate works beyond dropping the field; absent: the field is dropped wherever it stands, unless the stored object has it */
  readonly gating?: Gating;
  /** the keys, with identity placeholders, of annotations that are removed from written objects; only for the field of the metadata */
  readonly droppedAnnotations?: readonly string[];
  /** what Go states about the field; absent if that is nothing special, and for a field of a structural struct */
  readonly go?: GoField;
}

/** How a feature gate drops a field where that is not all: what pkg/api/pod/util.go and the strategies of 1.32 say of it. */
export interface Gating {
  /** another gate that is enough for the field to stay */
  readonly or?: string;
  /** the name of a member: the field is dropped below it alone */
  readonly within?: string;
  /** the name of another field behind the gate, whose use keeps this one too; absent: that of the field itself */
  readonly with?: string;
  /** how many objects above the field go too where nothing is left in them */
  readonly emptied?: number;
  /** the element of the list goes too in which the field stands */
  readonly element?: GatedElement;
}

export interface GatedElement {
  /** paths of lists, from the object that has that list; `*` stands for every element. Their elements with the `name` of one that went go too. */
  readonly namedIn: readonly string[];
}

/** What a field of a struct of Go may be. */
export interface GoField {
  /** true if absent and zero are different values */
  readonly pointer?: true;
  /** true if JSON also has the zero value, which is null for a pointer, a list and a map */
  readonly always?: true;
  /** true for a struct whose members are in the JSON object of the struct that has the field */
  readonly inline?: true;
  /** true for a list that in protobuf is a message with one repeated field, number 1 */
  readonly wrapped?: true;
  /** how the internal struct of 1.32 has the field; absent if it has it at the same place, with a capital letter, and with initialisms in capitals */
  readonly internal?: GoFieldForm;
}

/** How a field differs in the internal structs of 1.32, which some of its messages print. They differ a little from the structs of the versions. */
export interface GoFieldForm {
  readonly name?: string;
  /** the JSON name of the field that it follows there; absent for the same place */
  readonly after?: string;
  /** the JSON name of another field of the struct whose value has this field there, before its own fields */
  readonly in?: string;
  /** false if the field is a pointer only in the version */
  readonly pointer?: false;
  /** true if the internal struct has no such field */
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

/** Makes a union. @param struct is called when the union is first used */
export function union(name: UnionName, struct: () => StructType): ScalarType {
  return { kind: 'scalar', scalar: name, struct };
}

export function list(element: Type): ListType {
  return { kind: 'list', element };
}

/** Makes the type of a list of scalars, each of which occurs at most once. */
export function set(element: Type): ListType {
  return { kind: 'list', element, listType: 'set' };
}

/** Makes the type of a list of structs. @param listMapKeys the names of the members that identify an element */
export function keyedList(element: Type, listMapKeys: readonly string[]): ListType {
  return { kind: 'list', element, listType: 'map', listMapKeys };
}

export function map(value: Type): MapType {
  return { kind: 'map', value };
}

export function atomicMap(value: Type): MapType {
  return { kind: 'map', value, mapType: 'atomic' };
}

/** Gives a type a name. @param typeName the name in error messages */
export function named<T extends ScalarType | ListType | MapType>(typeName: string, type: T): T {
  return { ...type, typeName };
}

/**
 * Makes a struct of Go.
 * @param fields is called once, when the fields are first read, because types may refer to each other in a circle and across modules
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

/** Makes a type for a use of a struct that is owned and applied as a whole, whatever holds for other uses. */
export function atomic(type: StructType): StructType {
  return struct(type.name, () => type.fields, { ...optionsOf(type), mapType: 'atomic' });
}

/** Makes a type for a use of a struct whose members are owned one by one, whatever holds for other uses. */
export function granular(type: StructType): StructType {
  return struct(type.name, () => type.fields, optionsOf(type));
}

function optionsOf({ defaults }: StructType): Pick<StructType, 'defaults'> {
  return defaults === undefined ? {} : { defaults };
}
