/** Gives every schema of every document its definition name before anything else is read, so that references can be followed in any order. */
import path from 'node:path';
import type { Report } from '../check/diagnostic.ts';
import { readMarks } from '../read/forms.ts';
import {
  isObject,
  isReference,
  type JsonObject,
  type SchemaDocument,
  type SchemaObject,
  type SchemaOrReference,
  type Sources,
} from '../read/sources.ts';
import type { Lifespan } from './lifespan.ts';
import type { GroupVersion } from './model.ts';

/** A document whose group version and resources have been read. */
export interface KnownDocument extends SchemaDocument {
  readonly groupVersion: {
    readonly group: string;
    readonly version: string;
    readonly package: string;
    readonly groupPriority?: number;
    readonly versionPriority?: number;
    readonly enabledByDefault?: boolean;
    readonly files?: boolean;
    readonly structural?: boolean;
    readonly before?: GroupVersion['before'];
  } & Lifespan;
  /** The entries of `x-cluster-resources` that are of the right form; the others have been reported. */
  readonly resources: readonly JsonObject[];
}

/** One schema as a document states it: that of its own version, or of another one to which its version refers. */
export interface RawType {
  /** The document of the version whose type it is. */
  readonly document: KnownDocument;
  readonly name: string;
  readonly definition: string;
  readonly schema: SchemaObject;
  /** Its `x-` members, with those that stand beside the reference to it. */
  readonly marks: JsonObject;
  /** Documents in which the names of its references are looked up, one after the other: first its own version's, last the one that states the schema. */
  readonly origins: readonly KnownDocument[];
  /** Where the schema is stated: the document's path from the root of the tree, and the path in the document. */
  readonly file: string;
  readonly path: string;
}

/** A schema that may be a reference to that of another version. */
type StatedType = Omit<RawType, 'schema'> & { readonly schema: SchemaOrReference };
/** The schemas by name, by the file of their document. */
type StatedTypes = ReadonlyMap<string, ReadonlyMap<string, StatedType>>;

/** Marks that each version states for itself: they are not taken over from the schema of another version to which a reference leads. */
const OWN_MARKS = [
  'x-cluster-definition',
  'x-cluster-lifecycle',
  'x-cluster-deprecation-warning',
  'x-cluster-table',
  'x-cluster-conversion',
  'x-cluster-since',
  'x-cluster-until',
];

/** All schemas of all documents, found by definition or by reference. */
export class TypeIndex {
  readonly documents: readonly KnownDocument[];
  readonly byDefinition: ReadonlyMap<string, RawType>;
  readonly #byFile: ReadonlyMap<string, ReadonlyMap<string, RawType>>;

  constructor(sources: Sources, report: Report) {
    this.documents = sources.documents.flatMap((document) => readGroupVersion(document, report));
    const byDefinition = new Map<string, RawType>();
    const stated = new Map(this.documents.map((document) => [document.file, readTypes(document, report)]));
    const byFile = new Map([...stated].map(([file, types]) => [file, followReferences(types, stated, report)]));
    for (const [, types] of byFile) {
      for (const type of types.values()) {
        const other = byDefinition.get(type.definition);
        if (other === undefined) byDefinition.set(type.definition, type);
        else report('CS015', { file: type.document.file, path: type.path }, `${type.definition} is in ${other.document.file} too.`);
      }
    }
    this.byDefinition = byDefinition;
    this.#byFile = byFile;
  }

  typesOf(document: KnownDocument): readonly RawType[] {
    return [...(this.#byFile.get(document.file)?.values() ?? [])];
  }

  /**
   * @param reference such as `#/components/schemas/PodSpec`; one to another document has a relative path before the `#`
   * @returns undefined if it leads to no schema
   */
  resolve(reference: string, from: Pick<RawType, 'origins'>): RawType | undefined {
    const { files, name } = targetOf(reference, from.origins);
    for (const file of files) {
      const type = this.#byFile.get(file)?.get(name);
      if (type !== undefined) return type;
    }
    return undefined;
  }
}

function readGroupVersion(document: SchemaDocument, report: Report): KnownDocument[] {
  const marks = readMarks('document', document.content, { file: document.file, path: '' }, report);
  const groupVersion = marks['x-cluster-group-version'];
  if (!isObject(groupVersion)) {
    if (!Object.hasOwn(document.content, 'x-cluster-group-version'))
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

function readTypes(document: KnownDocument, report: Report): Map<string, StatedType> {
  const types = new Map<string, StatedType>();
  for (const [name, schema] of Object.entries(document.content.components?.schemas ?? {})) {
    const path = `components.schemas.${name}`;
    const form = document.groupVersion.structural === true ? 'structural' : 'schema';
    const marks = readMarks(form, schema, { file: document.file, path }, report);
    const definition = (marks['x-cluster-definition'] as string | undefined) ?? `${document.groupVersion.package}.${name}`;
    types.set(name, { document, name, definition, schema, marks, origins: [document], file: document.file, path });
  }
  return types;
}

/** @returns the files that may have the target, of which the first that has it counts; `name` is '' if the reference is of no known form */
function targetOf(reference: string, origins: readonly KnownDocument[]): { files: readonly string[]; name: string } {
  const [file = '', pointer = ''] = reference.split('#');
  const name = /^\/components\/schemas\/([^/]+)$/.exec(pointer)?.[1] ?? '';
  const stated = origins.at(-1)?.file ?? '';
  const files = file === '' ? origins.map((origin) => origin.file) : [path.posix.join(path.posix.dirname(stated), file)];
  return { files, name };
}

/** A schema that is a reference to that of another version becomes a type of its own with the same members. */
function followReferences(types: ReadonlyMap<string, StatedType>, byFile: StatedTypes, report: Report): Map<string, RawType> {
  const followed = new Map<string, RawType>();
  for (const [name, type] of types) {
    const found = follow(type, byFile, [], report);
    if (found !== undefined) followed.set(name, found);
  }
  return followed;
}

function follow(type: StatedType, byFile: StatedTypes, passed: readonly StatedType[], report: Report): RawType | undefined {
  const { schema } = type;
  if (!isReference(schema)) return { ...type, schema };
  const { $ref: reference } = schema;
  const { files, name } = targetOf(reference, [type.document]);
  const next = byFile.get(files[0] as string)?.get(name);
  const target = next === undefined || passed.includes(next) ? undefined : follow(next, byFile, [...passed, type], report);
  if (target === undefined) {
    report('CS010', { file: type.file, path: type.path }, `${reference} leads to no schema.`);
    return undefined;
  }
  for (const keyword of Object.keys(schema))
    if (keyword !== '$ref' && !keyword.startsWith('x-'))
      report('CS011', { file: type.file, path: type.path }, `The keyword ${keyword} has no meaning beside a $ref.`, 'State the schema.');
  const inherited = Object.fromEntries(Object.entries(target.marks).filter(([mark]) => !OWN_MARKS.includes(mark)));
  return {
    ...type,
    schema: target.schema,
    marks: { ...inherited, ...type.marks },
    origins: [type.document, ...target.origins],
    file: target.file,
    path: target.path,
  };
}
