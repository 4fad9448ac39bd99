/** Checks that properties and protobuf fields, types and messages have each other as their other half, of the same type. */
import { compareReleases } from '../model/lifespan.ts';
import type { FieldModel, GroupVersion, ModelData, StructModel, TypeUse } from '../model/model.ts';
import { fieldOf, isWrapped, messageName } from '../model/protobuf-names.ts';
import type { Message, MessageField } from '../read/sources.ts';
import type { CheckContext } from './check-context.ts';
import { placeOf } from './places.ts';

export function checkProtobuf(context: CheckContext): void {
  const { sources } = context;
  for (const groupVersion of context.model.all.groupVersions) {
    if (groupVersion.files || groupVersion.structural !== undefined) continue;
    const file = protoFile(groupVersion);
    const stated = sources.protobufPackages.get(file);
    // A file that could not be read has been reported.
    if (stated === undefined) continue;
    checkPackage(groupVersion, stated, context);
    for (const type of groupVersion.types) if (type.kind === 'struct') checkStruct(groupVersion, type, context);
    checkMessages(groupVersion, context);
  }
}

function protoFile({ folder }: GroupVersion): string {
  return `schemas/${folder}/types.proto`;
}

function checkPackage(groupVersion: GroupVersion, stated: string, { report }: CheckContext): void {
  const expected = messageName(groupVersion.package);
  if (stated !== expected)
    report('CS039', { file: protoFile(groupVersion), path: 'package' }, `It is ${stated === '' ? 'none' : stated} instead of ${expected}.`);
}

function checkStruct(groupVersion: GroupVersion, struct: StructModel, { model: { all: model }, sources, report }: CheckContext): void {
  const message = sources.messages.get(messageName(struct.definition));
  if (!struct.protobuf) {
    if (message !== undefined)
      report(
        'CS036',
        { file: protoFile(groupVersion), path: message.name },
        'The schema says x-cluster-protobuf: false.',
        'Remove one of them.',
      );
    return;
  }
  if (message === undefined)
    return report('CS037', placeOf(groupVersion, struct), `There is no message ${messageName(struct.definition)}.`);
  const used = new Set<string>();
  const end = struct.until ?? groupVersion.until;
  for (const field of struct.fields) {
    if (field.typeMeta || !isOfMessage(field, end)) continue;
    const other = field.inline ? message.fields.find(({ number }) => number === field.number) : fieldOf(message, field.name);
    const at = placeOf(groupVersion, struct, field.name);
    if (other === undefined) {
      if (!field.inline && !hasNoProtobuf(field.type)) report('CS030', at, `Message ${message.name} has no field ${field.name}.`);
      continue;
    }
    used.add(other.name);
    const expected = describeUse(model, field, sources.messages, other);
    if (expected !== describeField(other)) report('CS032', at, `Protobuf has ${describeField(other)}, the schema ${expected}.`);
  }
  for (const field of message.fields)
    if (!used.has(field.name))
      report(
        'CS031',
        { file: protoFile(groupVersion), path: `${message.name}.${field.name}` },
        `The schema ${struct.name} has no such property.`,
      );
}

/**
 * A message has the fields of today. A field that is gone is there only as a reserved number. A field that came when the type was gone belongs to the version
 * in which the type's schema is stated.
 */
function isOfMessage({ since, until }: FieldModel, end: string | undefined): boolean {
  return until === undefined && (since === undefined || end === undefined || compareReleases(since, end) < 0);
}

/** Values of any form cannot be in protobuf. */
function hasNoProtobuf(use: TypeUse): boolean {
  if (use.kind === 'list') return hasNoProtobuf(use.element);
  return use.kind === 'primitive' && use.scalar === 'json';
}

const PROTOBUF_SCALARS: Readonly<Record<string, string>> = {
  string: 'string',
  boolean: 'bool',
  int32: 'int32',
  int64: 'int64',
  double: 'double',
  bytes: 'bytes',
};

function describeField({ rule, type }: MessageField): string {
  return rule === 'map' ? `map<string, ${type}>` : `${rule} ${type}`;
}

/** @returns the protobuf field that the schema asks for, as text; `other` is the one that there is */
function describeUse(model: ModelData, { type, wrapped }: FieldModel, messages: ReadonlyMap<string, Message>, other: MessageField): string {
  if (type.kind === 'list' && wrapped === true) {
    const element = singleType(model, type.element);
    return messages.get(other.type)?.fields[0]?.type === element
      ? describeField(other)
      : `single message with one repeated ${element} of number 1`;
  }
  if (type.kind === 'list') return `repeated ${singleType(model, type.element)}`;
  if (type.kind !== 'map') return `single ${singleType(model, type)}`;
  if (type.value.kind !== 'list') return `map<string, ${singleType(model, type.value)}>`;
  const [items, ...others] = messages.get(other.type)?.fields ?? [];
  const wraps =
    others.length === 0 && items?.number === 1 && items.rule === 'repeated' && items.type === singleType(model, type.value.element);
  return `map<string, ${wraps ? other.type : `message with one repeated ${singleType(model, type.value.element)} of number 1`}>`;
}

function singleType(model: ModelData, use: TypeUse): string {
  if (use.kind === 'primitive') return PROTOBUF_SCALARS[use.scalar] ?? `no form of ${use.scalar}`;
  if (use.kind !== 'named') return `no form of a ${use.kind} in a list or map`;
  return messageName(model.types.get(use.definition)?.definition ?? use.definition);
}

/** Every message must be that of a schema, or wrap lists that are values of a map or the value of a field. */
function checkMessages(groupVersion: GroupVersion, { model: { all: model }, sources, report }: CheckContext): void {
  const names = new Set([...model.types.keys()].map(messageName));
  const wraps = (field: MessageField): boolean => field.rule === 'map' || isWrapped(field, sources.messages);
  const wrappers = new Set([...sources.messages.values()].flatMap(({ fields }) => fields.filter(wraps).map(({ type }) => type)));
  for (const message of sources.messages.values())
    if (message.package === messageName(groupVersion.package) && !names.has(message.fullName) && !wrappers.has(message.fullName))
      report('CS036', { file: protoFile(groupVersion), path: message.name }, `There is no schema ${message.name}.`);
}
