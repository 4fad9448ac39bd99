/** Reads `schemas/node-interfaces/`: messages and services of the gRPC interfaces (proto3) that programs of a node speak. No file refers to another one. */
import path from 'node:path';
import protobuf from 'protobufjs';
import type { WireField, WireScalar } from '../../runtime/contract/node-interface.ts';
import type { Report } from '../check/diagnostic.ts';

/** The content of one file. */
export interface NodeInterface {
  /** Path from the root of the tree. */
  readonly file: string;
  /** Name of the file without its extension. */
  readonly name: string;
  readonly messages: readonly InterfaceMessage[];
  readonly enums: readonly { readonly name: string; readonly values: Readonly<Record<string, number>> }[];
  readonly services: readonly InterfaceService[];
}

/** A message, with its fields in the order of the file. */
export interface InterfaceMessage {
  readonly name: string;
  readonly fields: readonly InterfaceField[];
}

export interface InterfaceField extends Omit<WireField, 'type'> {
  /** A scalar, or the name of a message of the same file. */
  readonly type: { readonly scalar: WireScalar } | { readonly message: string };
}

/** Which sides of a method send any number of messages: neither, the server, or both. */
export type MethodKind = 'UnaryMethod' | 'StreamMethod' | 'DuplexMethod';

/** A service. A method's `path` is the one of its requests, such as `/runtime.v1.RuntimeService/Version`. */
export interface InterfaceService {
  readonly name: string;
  readonly methods: readonly {
    readonly name: string;
    readonly path: string;
    readonly request: string;
    readonly answer: string;
    readonly kind: MethodKind;
  }[];
}

const SCALARS: ReadonlySet<string> = new Set<WireScalar>([
  'string',
  'bool',
  'int32',
  'uint32',
  'int64',
  'uint64',
  'fixed32',
  'fixed64',
  'bytes',
]);

/**
 * @param files texts by path from the root of the tree
 * @returns the interfaces of the files that have no fault; the others are reported
 */
export function readNodeInterfaces(files: ReadonlyMap<string, string>, report: Report): NodeInterface[] {
  return [...files].flatMap(([file, text]) => {
    try {
      return [readInterface(file, text)];
    } catch (error) {
      report('CS004', { file, path: '' }, (error as Error).message);
      return [];
    }
  });
}

/** @throws Error that says what is wrong with the file */
function readInterface(file: string, text: string): NodeInterface {
  const { root } = protobuf.parse(text, new protobuf.Root(), { keepCase: false });
  root.resolveAll();
  const all = [...below(root)];
  const messages = all.filter((each) => each instanceof protobuf.Type);
  for (const message of messages) refuseCircle(message, []);
  return {
    file,
    name: path.posix.basename(file, '.proto'),
    messages: messages.map((message) => ({ name: message.name, fields: message.fieldsArray.map(toField) })),
    enums: all.filter((each) => each instanceof protobuf.Enum).map(({ name, values }) => ({ name, values })),
    services: all.filter((each) => each instanceof protobuf.Service).map(toService),
  };
}

function* below(namespace: protobuf.NamespaceBase): Generator<protobuf.ReflectionObject> {
  for (const nested of namespace.nestedArray) {
    yield nested;
    if (nested instanceof protobuf.Type && nested.nestedArray.length > 0)
      throw new Error(`${nested.name} has types within; only types of the package's own are read.`);
    if (nested instanceof protobuf.Namespace && !(nested instanceof protobuf.Type) && !(nested instanceof protobuf.Service))
      yield* below(nested);
  }
}

/** A message that contained itself could be of any depth; without such messages the depth of each is bounded. */
function refuseCircle(message: protobuf.Type, way: readonly protobuf.Type[]): void {
  if (way.includes(message))
    throw new Error(`${message.name} contains itself, by ${[...way, message].map(({ name }) => name).join(' > ')}.`);
  for (const { resolvedType } of message.fieldsArray)
    if (resolvedType instanceof protobuf.Type) refuseCircle(resolvedType, [...way, message]);
}

function toField(field: protobuf.Field): InterfaceField {
  const rule = field.map ? 'map' : field.repeated ? 'repeated' : 'single';
  const optional = field.partOf !== null && { optional: true as const };
  return { name: field.name, number: field.id, rule, ...optional, type: typeOf(field) };
}

function typeOf(field: protobuf.Field): InterfaceField['type'] {
  const { resolvedType, type } = field;
  const isOfTexts = type === 'string' && field instanceof protobuf.MapField && field.keyType === 'string';
  if (field.map && !isOfTexts) throw new Error(`${field.parent?.name}.${field.name} is a map of something else than texts to texts.`);
  if (resolvedType instanceof protobuf.Type) return { message: resolvedType.name };
  if (resolvedType instanceof protobuf.Enum) return { scalar: 'enum' };
  if (!SCALARS.has(type)) throw new Error(`${field.parent?.name}.${field.name} is ${type}; what is read is ${[...SCALARS].join(', ')}.`);
  if (field.options?.jstype !== 'JS_NUMBER') return { scalar: type as WireScalar };
  if (type !== 'int64') throw new Error(`${field.parent?.name}.${field.name} is ${type}; only int64 may have jstype = JS_NUMBER.`);
  return { scalar: 'safeInt64' };
}

function toService(service: protobuf.Service): InterfaceService {
  const name = service.fullName.slice(1);
  const methods = service.methodsArray.map((method) => {
    const [request, answer] = [method.resolvedRequestType?.name ?? '', method.resolvedResponseType?.name ?? ''];
    return { name: method.name, path: `/${name}/${method.name}`, request, answer, kind: kindOf(method) };
  });
  return { name: service.name, methods };
}

function kindOf({ parent, name, requestStream, responseStream }: protobuf.Method): MethodKind {
  if (requestStream !== true) return responseStream === true ? 'StreamMethod' : 'UnaryMethod';
  if (responseStream !== true)
    throw new Error(`${parent?.name}.${name} takes a stream and gives one answer; only what answers with a stream may take one.`);
  return 'DuplexMethod';
}
