/** Sizes and types of values. */
import { goFloat } from '../../schema/scalar/go-float.ts';
import { DYN, type MapType, optionalOf, type Type, typeName } from '../types/type.ts';
import { JsonList, JsonMap } from './json-values.ts';
import {
  Duration,
  ErrorValue,
  ListValue,
  MapValue,
  OpaqueValue,
  Optional,
  StructValue,
  Timestamp,
  TypeValue,
  Uint,
  type Value,
} from './value.ts';

const HIGH_SURROGATE = /[\ud800-\udbff]/;
/** For longer texts, V8's search for a surrogate is faster. It knows at once that a Latin-1 text has none. */
const LONG = 64;

/** The number of code points of a text. */
export function textSize(text: string): number {
  const first = text.length > LONG ? text.search(HIGH_SURROGATE) : 0;
  let size = text.length;
  if (first === -1) return size;
  for (let index = first; index < text.length - 1; index++)
    if ((text.charCodeAt(index) & 0xfc00) === 0xd800 && (text.charCodeAt(index + 1) & 0xfc00) === 0xdc00) size--;
  return size;
}

/** The number of code points, bytes, items or entries; 1 for other values. Costs are computed from it. */
export function costSize(value: Value | undefined): number {
  if (typeof value === 'string') return textSize(value);
  if (typeof value !== 'object' || value === null) return 1;
  if (value instanceof ListValue || value instanceof MapValue) return value.size;
  if (value instanceof Uint8Array) return value.length;
  return value instanceof OpaqueValue ? value.size : 1;
}

/** The name of a value's type, as `type(value)` returns it. */
export function typeNameOf(value: Value): string {
  switch (typeof value) {
    case 'boolean':
      return 'bool';
    case 'bigint':
      return 'int';
    case 'number':
      return 'double';
    case 'string':
      return 'string';
    default:
      return objectTypeName(value);
  }
}

const GO_TYPES: Readonly<Record<string, string>> = {
  bool: 'types.Bool',
  bytes: 'types.Bytes',
  double: 'types.Double',
  'google.protobuf.Duration': 'types.Duration',
  'google.protobuf.Timestamp': 'types.Timestamp',
  int: 'types.Int',
  'kubernetes.NamedFormat': '*cel.Format',
  'kubernetes.Quantity': 'cel.Quantity',
  'kubernetes.Semver': 'cel.Semver',
  'kubernetes.URL': 'cel.URL',
  'kubernetes.authorization.Authorizer': 'library.authorizerVal',
  'kubernetes.authorization.Decision': 'library.decisionVal',
  'kubernetes.authorization.GroupCheck': 'library.groupCheckVal',
  'kubernetes.authorization.PathCheck': 'library.pathCheckVal',
  'kubernetes.authorization.ResourceCheck': 'library.resourceCheckVal',
  list: '*types.baseList',
  map: '*types.baseMap',
  'net.CIDR': 'cel.CIDR',
  'net.IP': 'cel.IP',
  null_type: 'types.Null',
  optional_type: '*types.Optional',
  string: 'types.String',
  type: '*types.Type',
  uint: 'types.Uint',
};

/** The Go type of what cannot select a part. What was read as JSON is not made a value before that is found out. */
export function selectingTypeOf(value: Value): string {
  if (value instanceof JsonMap || value instanceof JsonList) return nativeTypeOf(value);
  return value instanceof MapValue && value.isOfSchema ? '*common.unstructuredMap' : goTypeOf(value);
}

/** The Go type that holds such a value in 1.32, which some errors name. */
export function goTypeOf(value: Value): string {
  const name = typeNameOf(value);
  return GO_TYPES[name] ?? name;
}

const NATIVE_TYPES: Readonly<Record<string, string>> = {
  bool: 'bool',
  bytes: '[]uint8',
  double: 'float64',
  'google.protobuf.Duration': 'time.Duration',
  'google.protobuf.Timestamp': 'time.Time',
  int: 'int64',
  'kubernetes.Quantity': '*resource.Quantity',
  'kubernetes.URL': '*url.URL',
  list: '[]ref.Val',
  map: 'map[ref.Val]ref.Val',
  'net.CIDR': 'netip.Prefix',
  'net.IP': 'netip.Addr',
  null_type: 'structpb.NullValue',
  string: 'string',
  uint: 'uint64',
};

/** The Go type of what such a value holds in 1.32. */
export function nativeTypeOf(value: Value): string {
  if (value instanceof JsonMap) return 'map[string]interface {}';
  if (value instanceof JsonList) return '[]interface {}';
  const name = typeNameOf(value);
  return NATIVE_TYPES[name] ?? name;
}

function objectTypeName(value: Exclude<Value, boolean | bigint | number | string>): string {
  if (value === null) return 'null_type';
  if (value instanceof ListValue) return 'list';
  if (value instanceof MapValue) return 'map';
  if (value instanceof Uint) return 'uint';
  if (value instanceof Uint8Array) return 'bytes';
  if (value instanceof Timestamp) return 'google.protobuf.Timestamp';
  if (value instanceof Duration) return 'google.protobuf.Duration';
  if (value instanceof TypeValue) return 'type';
  if (value instanceof Optional) return typeName(optionalOf(DYN));
  if (value instanceof StructValue) return value.type.name;
  return value instanceof ErrorValue ? 'error' : typeName((value as OpaqueValue).type);
}

const isOpen = ({ kind }: Type): boolean => kind === 'dyn' || kind === 'parameter';

function firstEntryFits({ key, value }: MapType, map: MapValue): boolean {
  for (const first of map.keys()) return fitsParameter(key, first) && fitsParameter(value, map.find(first) ?? null);
  return true;
}

/** Whether a value fits a parameter of an overload. As in 1.32, only the first item or entry of a list or map is checked. */
export function fitsParameter(type: Type, value: Value): boolean {
  switch (type.kind) {
    case 'bool':
      return typeof value === 'boolean';
    case 'int':
      return typeof value === 'bigint';
    case 'double':
      return typeof value === 'number';
    case 'string':
      return typeof value === 'string';
    case 'uint':
      return value instanceof Uint;
    case 'bytes':
      return value instanceof Uint8Array;
    case 'null':
      return value === null;
    case 'list':
      return value instanceof ListValue && (isOpen(type.element) || value.size === 0 || fitsParameter(type.element, value.at(0)));
    case 'map':
      return value instanceof MapValue && (isOpen(type.key) || firstEntryFits(type, value));
    case 'timestamp':
      return value instanceof Timestamp;
    case 'duration':
      return value instanceof Duration;
    case 'type':
      return value instanceof TypeValue;
    case 'wrapper':
      return value === null || fitsParameter(type.of, value);
    case 'struct':
    case 'opaque':
      return typeNameOf(value) === type.name;
    default:
      return true;
  }
}

/** A value in messages about keys and indexes. */
export function valueText(value: Value): string {
  if (typeof value === 'number') return goFloat(value);
  if (typeof value === 'string' || typeof value === 'bigint' || typeof value === 'boolean') return String(value);
  if (value instanceof Uint) return String(value.value);
  if (value instanceof TypeValue) return value.name;
  return value === null ? 'NULL_VALUE' : typeNameOf(value);
}
