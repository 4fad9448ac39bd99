/** Reads the .proto files with protobufjs, all into one tree, in which names are looked up. Imports are relative to `schemas/`. */
import protobuf, { type Field, type NamespaceBase } from 'protobufjs';
import type { Report } from '../check/diagnostic.ts';
import type { Message, MessageField } from './sources.ts';

/** The content of all .proto files. */
export interface ProtobufSources {
  /** By full name. Each message has all its fields, even those whose number or name is wrong. */
  readonly messages: ReadonlyMap<string, Message>;
  /** The package of each file that could be read, by path from the root of the tree; '' if the file states none. */
  readonly packages: ReadonlyMap<string, string>;
}

const IMPORT_FOLDER = 'schemas/';

/** The parser marks what it reads with this name of the file, which the library's types do not declare. */
const parser = protobuf.parse as typeof protobuf.parse & { filename: string | null };

/** @param files texts by path from the root of the tree */
export function readProtobuf(files: ReadonlyMap<string, string>, report: Report): ProtobufSources {
  const root = new protobuf.Root();
  const packages = new Map<string, string>();
  const imports = new Map<string, ReadonlySet<string>>();
  const aside = asideOf(() => {
    for (const [file, text] of files) {
      const parsed = parseFile(root, file, text, report);
      if (parsed === undefined) continue;
      packages.set(file, parsed.package ?? '');
      imports.set(file, new Set(parsed.imports?.map((name) => `${IMPORT_FOLDER}${name}`)));
    }
  });
  for (const [file, imported] of imports)
    for (const name of imported) if (!files.has(name)) report('CS004', { file, path: '' }, `There is no file ${name} to import.`);
  const messages = new Map<string, Message>();
  for (const type of typesBelow(root)) {
    const fields = [...type.fieldsArray, ...(aside.get(type) ?? [])];
    const file = type.filename ?? '';
    for (const field of fields)
      if (!resolveType(field, type, imports.get(file), (path, problem) => report('CS004', { file, path }, problem))) packages.delete(file);
    messages.set(type.fullName.slice(1), toMessage(type, fields, file));
  }
  return { messages, packages };
}

/** @returns undefined for a file that cannot be read, which is reported */
function parseFile(root: protobuf.Root, file: string, text: string, report: Report): protobuf.IParserResult | undefined {
  const at = { file, path: '' };
  if (text.trim() === '') {
    report('CS002', at, 'The file holds nothing.');
    return undefined;
  }
  parser.filename = file;
  try {
    return parser(text, root, { keepCase: true });
  } catch (error) {
    report('CS004', at, (error as Error).message);
    return undefined;
  } finally {
    parser.filename = null;
  }
}

/**
 * The parser ends at the first field whose number or name is taken or reserved. All of them are to be reported, so while `parse` runs such fields are put
 * aside.
 * @returns the fields that were put aside, by their message
 */
function asideOf(parse: () => void): ReadonlyMap<protobuf.Type, readonly Field[]> {
  const aside = new Map<protobuf.Type, Field[]>();
  const { add } = protobuf.Type.prototype;
  protobuf.Type.prototype.add = function addOrPutAside(object) {
    try {
      return add.call(this, object);
    } catch (error) {
      if (!(object instanceof protobuf.Field)) throw error;
      aside.set(this, [...(aside.get(this) ?? []), object]);
      return this;
    }
  };
  try {
    parse();
  } finally {
    protobuf.Type.prototype.add = add;
  }
  return aside;
}

function* typesBelow(namespace: NamespaceBase): Generator<protobuf.Type> {
  for (const nested of namespace.nestedArray) {
    if (nested instanceof protobuf.Type) yield nested;
    if (nested instanceof protobuf.Namespace || nested instanceof protobuf.Type) yield* typesBelow(nested);
  }
}

/**
 * Finds the type of a field. It must be in the same file or in one that this file imports, because other programs read each file with its imports alone.
 * @returns whether it is
 */
function resolveType(
  field: Field,
  type: protobuf.Type,
  imported: ReadonlySet<string> | undefined,
  tell: (path: string, problem: string) => void,
): boolean {
  if (field.type in protobuf.types.basic) return true;
  const path = `${type.name}.${field.name}`;
  try {
    field.resolvedType = type.lookupTypeOrEnum(field.type);
  } catch (error) {
    tell(path, `There is ${(error as Error).message}.`);
    return false;
  }
  const file = field.resolvedType.filename ?? '';
  const isThere = file === type.filename || imported?.has(file) === true;
  if (!isThere) tell(path, `${field.type} is in ${file}, which is not imported.`);
  return isThere;
}

function toMessage(type: protobuf.Type, fields: readonly Field[], file: string): Message {
  return {
    name: type.name,
    fullName: type.fullName.slice(1),
    package: (type.parent?.fullName ?? '').slice(1),
    file,
    fields: fields.map(toField),
    reserved: (type.reserved ?? []) as Message['reserved'],
  };
}

function toField(field: Field): MessageField {
  const rule = field.map ? 'map' : field.repeated ? 'repeated' : 'single';
  return { name: field.name, number: field.id, rule, type: field.resolvedType?.fullName.slice(1) ?? field.type };
}
