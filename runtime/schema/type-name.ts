/** Names of types in error messages of 1.32, which are their names in Go. */
import type { StructType } from '../contract/descriptor.ts';
import { Code, type CompiledList, type CompiledMap, type CompiledStruct, type CompiledType } from './compile.ts';

const SCALARS = {
  string: 'string',
  boolean: 'bool',
  int32: 'int32',
  int64: 'int64',
  double: 'float64',
  bytes: '[]uint8',
  time: 'v1.Time',
  microTime: 'v1.MicroTime',
  duration: 'v1.Duration',
  quantity: 'resource.Quantity',
  intOrString: 'intstr.IntOrString',
  rawExtension: 'runtime.RawExtension',
  fieldsV1: 'v1.FieldsV1',
  json: 'interface {}',
  structOrBoolean: 'bool',
  structOrList: '[]interface {}',
  structOrNames: '[]string',
} as const;

type Scalar = keyof typeof SCALARS;

/** Package and name of a type that has a name, such as `v1.PodSpec` or `v1.Protocol`; otherwise the types that it consists of. */
export function typeName(type: CompiledType): string {
  if (type.code === Code.struct) return (type as CompiledStruct).type.name.split('.').slice(-2).join('.');
  const { typeName: own } = type as { readonly typeName?: string };
  if (own !== undefined) return own;
  if (type.code === Code.list) return `[]${typeName((type as CompiledList).element)}`;
  if (type.code === Code.map) return `map[string]${typeName((type as CompiledMap).value)}`;
  return SCALARS[(type as { readonly scalar: Scalar }).scalar];
}

/** The basic type of a scalar, even if it has a name of its own; undefined if the type is no scalar. */
export function underlyingScalar(type: CompiledType): string | undefined {
  return SCALARS[(type as { readonly scalar: Scalar }).scalar] as string | undefined;
}

/** The name without its package, such as `PodSpec`. */
export function shortTypeName(struct: StructType): string {
  return struct.name.slice(struct.name.lastIndexOf('.') + 1);
}
