/** Names before anything else: which definition every schema of every document is, so that references can be followed in any order. */
import path from 'node:path';
import type { Report } from '../check/diagnostic.ts';
import { readMarks } from '../read/forms.ts';
import { isObject, type JsonObject, objectAt, type SchemaDocument, type Sources } from '../read/sources.ts';

/** A document whose group version and extensions have been read. */
export interface KnownDocument extends SchemaDocument {
  readonly groupVersion: {
    readonly group: string;
    readonly version: string;
    readonly package: string;
    readonly groupPriority?: number;
    readonly versionPriority?: number;
    readonly enabledByDefault?: boolean;
    readonly files?: boolean;
  };
  /** the `x-cluster-resources` that are of their form */
  readonly resources: readonly JsonObject[];
}

/** One schema as the document has it. */
export interface RawType {
  readonly document: KnownDocument;
  readonly name: string;
  readonly definition: string;
  readonly schema: JsonObject;
  /** its `x-` members */
  readonly marks: JsonObject;
  readonly path: string;
}

export class TypeIndex {
  readonly documents: readonly KnownDocument[];
  readonly byDefinition: ReadonlyMap<string, RawType>;
  readonly #byFile: ReadonlyMap<string, ReadonlyMap<string, RawType>>;

  constructor(sources: Sources, report: Report) {
    this.documents = sources.documents.flatMap((document) => readGroupVersion(document, report));
    const byDefinition = new Map<string, RawType>();
    const byFile = new Map<string, Map<string, RawType>>();
    for (const document of this.documents) {
      const types = readTypes(document, report);
      byFile.set(document.file, types);
      for (const type of types.values()) {
        const other = byDefinition.get(type.definition);
        if (other === undefined) byDefinition.set(type.definition, type);
        else report('CS015', { file: document.file, path: type.path }, `${type.definition} is in ${other.document.file} too.`);
      }
    }
    this.byDefinition = byDefinition;
    this.#byFile = byFile;
  }

  typesOf(document: KnownDocument): readonly RawType[] {
    return [...(this.#byFile.get(document.file)?.values() ?? [])];
  }

  /** @param reference such as `#/components/schemas/PodSpec`, with a path before it for another document */
  resolve(reference: string, from: KnownDocument): RawType | undefined {
    const [file, pointer = ''] = reference.split('#');
    const target = file === '' ? from.file : path.posix.join(path.posix.dirname(from.file), file as string);
    const name = /^\/components\/schemas\/([^/]+)$/.exec(pointer)?.[1];
    return name === undefined ? undefined : this.#byFile.get(target)?.get(name);
  }
}

function readGroupVersion(document: SchemaDocument, report: Report): KnownDocument[] {
  const marks = readMarks('document', document.content, { file: document.file, path: '' }, report);
  const groupVersion = marks['x-cluster-group-version'];
  if (!isObject(groupVersion)) {
    if (document.content['x-cluster-group-version'] === undefined)
      report('CS040', { file: document.file, path: '' }, 'The document does not say which group version it is.');
    return [];
  }
  const known = groupVersion as unknown as KnownDocument['groupVersion'];
  const version = document.folder.split('/')[1];
  if (version !== known.version)
    report('CS040', { file: document.file, path: 'x-cluster-group-version.version' }, `The folder says ${version}.`);
  const resources = (marks['x-cluster-resources'] ?? []) as readonly JsonObject[];
  return [{ ...document, groupVersion: known, resources }];
}

function readTypes(document: KnownDocument, report: Report): Map<string, RawType> {
  const types = new Map<string, RawType>();
  for (const [name, schema] of Object.entries(objectAt(document.content.components, 'schemas'))) {
    const path = `components.schemas.${name}`;
    if (!isObject(schema)) continue;
    const marks = readMarks('schema', schema, { file: document.file, path }, report);
    const definition = (marks['x-cluster-definition'] as string | undefined) ?? `${document.groupVersion.package}.${name}`;
    types.set(name, { document, name, definition, schema, marks, path });
  }
  return types;
}
