/** Writes `types.ts`: the kinds and their parts as TypeScript types, for hand-written code and for clients. */
import {
  IndentationText,
  type InterfaceDeclarationStructure,
  type OptionalKind,
  Project,
  type PropertySignatureStructure,
  QuoteKind,
  StructureKind,
  type TypeAliasDeclarationStructure,
} from 'ts-morph';
import type { FieldModel, GroupVersion, Model, NamedScalar, StructModel, TypeUse } from '../model/model.ts';
import { SCALAR_TYPES } from '../model/scalar-types.ts';
import { byName, header, moduleAlias, propertyName, quote, relativeImport, schemaSources } from './typescript.ts';

/** Writes the types of group versions, all with one project of ts-morph. */
export class TypesEmitter {
  readonly #model: Model;
  readonly #project = new Project({
    useInMemoryFileSystem: true,
    skipLoadingLibFiles: true,
    manipulationSettings: { indentationText: IndentationText.TwoSpaces, quoteKind: QuoteKind.Single, useTrailingCommas: true },
  });

  constructor(model: Model) {
    this.#model = model;
  }

  emit(groupVersion: GroupVersion): string {
    const writer = new TypeWriter(this.#model, groupVersion);
    const statements = [...groupVersion.types]
      .sort(byName)
      .map((type) => (type.kind === 'struct' ? writer.interface(type) : writer.alias(type)));
    const file = this.#project.createSourceFile(`${groupVersion.folder}/types.ts`, {
      statements: [header(...schemaSources(groupVersion)), ...writer.imports(), ...statements],
    });
    return file.getFullText();
  }
}

class TypeWriter {
  readonly #model: Model;
  readonly #groupVersion: GroupVersion;
  readonly #used = new Set<string>();

  constructor(model: Model, groupVersion: GroupVersion) {
    this.#model = model;
    this.#groupVersion = groupVersion;
  }

  imports(): string[] {
    const { folder } = this.#groupVersion;
    return [...this.#used]
      .sort()
      .map((used) => `import type * as ${moduleAlias(used)} from ${quote(relativeImport(folder, `${used}/types.ts`))};`);
  }

  alias(type: NamedScalar): TypeAliasDeclarationStructure {
    const single = type.scalar === 'structOrList' ? `${type.struct}[]` : SCALAR_TYPES[type.scalar];
    const text = type.struct === undefined ? single : `${type.struct} | ${single}`;
    return { kind: StructureKind.TypeAlias, name: type.name, isExported: true, type: text, docs: docs(type.description) };
  }

  interface(struct: StructModel): InterfaceDeclarationStructure {
    return {
      kind: StructureKind.Interface,
      name: struct.name,
      isExported: true,
      docs: docs(struct.description),
      extends: struct.fields.filter((field) => field.inline).map((field) => this.#type(field.type)),
      properties: struct.fields.filter((field) => !field.inline).map((field) => this.#property(struct, field)),
    };
  }

  #property(struct: StructModel, field: FieldModel): OptionalKind<PropertySignatureStructure> {
    const isMetadata = struct.topLevel && field.name === 'metadata';
    return {
      name: propertyName(field.name),
      type: field.typeMeta ? this.#typeMeta(struct, field) : `${this.#type(field.type)}${this.#mayBeNull(field) ? ' | null' : ''}`,
      hasQuestionToken: !(field.required || field.always || field.typeMeta || isMetadata),
      docs: docs(field.description),
    };
  }

  #typeMeta(struct: StructModel, field: FieldModel): string {
    if (field.name === 'kind') return quote(struct.name);
    const { group, version } = this.#groupVersion;
    const apiVersion = group === '' ? version : `${group}/${version}`;
    return apiVersion.includes('${') ? 'string' : quote(apiVersion);
  }

  /** A member that is always written is null where it has no value, and so is a time that is not set. */
  #mayBeNull(field: FieldModel): boolean {
    const type = field.type.kind === 'named' ? this.#model.types.get(field.type.definition) : undefined;
    const isTime = type?.kind === 'scalar' && (type.scalar === 'time' || type.scalar === 'microTime');
    const hasNull = field.pointer || field.type.kind === 'list' || field.type.kind === 'map';
    return (field.always && hasNull) || (isTime && !field.pointer);
  }

  #type(use: TypeUse): string {
    if (use.kind === 'list') return `${parenthesized(this.#type(use.element))}[]`;
    if (use.kind === 'map') return `{ [key: string]: ${this.#type(use.value)} }`;
    if (use.kind === 'primitive') {
      const closed = use.enum !== undefined && use.enum.length > 0 && !use.enum.some((value) => value.includes('${'));
      return closed ? use.enum.map(quote).join(' | ') : SCALAR_TYPES[use.scalar];
    }
    const type = this.#model.types.get(use.definition);
    if (type === undefined || type.folder === this.#groupVersion.folder) return type?.name ?? 'unknown';
    this.#used.add(type.folder);
    return `${moduleAlias(type.folder)}.${type.name}`;
  }
}

function parenthesized(type: string): string {
  return type.includes(' | ') ? `(${type})` : type;
}

function docs(description: string | undefined): string[] {
  const text = description?.trim().replaceAll('*/', '*\\/');
  return text === undefined || text === '' ? [] : [text];
}
