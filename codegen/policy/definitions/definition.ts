/** Reads definitions of custom kinds as the policy looks at them. */
import { readFileSync } from 'node:fs';
import { isCollection, isMap, isSeq, LineCounter, parseAllDocuments } from 'yaml';
import type { ParsedFile } from '../../read/lines.ts';
import { isObject, type JsonObject, objectAt } from '../../read/sources.ts';

/** A node of a schema of OpenAPI v3, in the form that definitions have. */
export type SchemaNode = JsonObject;

/** A definition, with its place in a file. */
export interface Definition {
  /** Such as `memcacheds.cache.example.com`. */
  readonly name: string;
  readonly file: string;
  readonly spec: JsonObject;
  readonly versions: readonly DefinitionVersion[];
  /** Versions in which objects may be stored: those that the status names, and the one that is stored now. */
  readonly storedVersions: readonly string[];
  /** The nodes of the definition in its file, by which findings get their lines. */
  readonly parsed: ParsedFile;
}

/** A version of a definition, served or not. */
export interface DefinitionVersion {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly deprecated: boolean;
  readonly schema: SchemaNode;
  /** Everything that the definition states of the version. */
  readonly stated: JsonObject;
}

/** @throws Error for a file that cannot be read, is no YAML, or has no definition */
export function readDefinitionFile(file: string): Definition[] {
  const lines = new LineCounter();
  const documents = parseAllDocuments(readFileSync(file, 'utf8'), { lineCounter: lines });
  if (!Array.isArray(documents)) throw new Error(`${file} is empty`);
  const definitions = documents.flatMap((document) => {
    const [problem] = document.errors;
    if (problem !== undefined) throw new Error(`${file}: ${problem.message}`);
    return objectsIn(document.contents, document.toJS()).flatMap(([root, object]) => definitionOf(object, file, { root, lines }) ?? []);
  });
  if (definitions.length === 0) throw new Error(`${file} has no CustomResourceDefinition of v1`);
  return definitions;
}

/** @returns the object of a document, or those of a list, each with its node */
function objectsIn(root: unknown, value: unknown): [root: unknown, object: unknown][] {
  const items = isMap(root) ? root.get('items', true) : undefined;
  if (!isSeq(items) || !isObject(value) || !Array.isArray(value.items)) return [[root, value]];
  return value.items.map((item, index) => [isCollection(items.items[index]) ? items.items[index] : items, item]);
}

function definitionOf(object: unknown, file: string, parsed: ParsedFile): Definition | undefined {
  if (!isObject(object) || object.kind !== 'CustomResourceDefinition' || !/^apiextensions\..+\/v1$/.test(String(object.apiVersion)))
    return undefined;
  const spec = objectAt(object, 'spec');
  const stated = Array.isArray(spec.versions) ? spec.versions.filter(isObject) : [];
  const versions = stated.map((version) => ({
    name: String(version.name),
    served: version.served === true,
    storage: version.storage === true,
    deprecated: version.deprecated === true,
    schema: objectAt(objectAt(version, 'schema'), 'openAPIV3Schema'),
    stated: version,
  }));
  const known = objectAt(object, 'status').storedVersions;
  const stored = new Set([
    ...(Array.isArray(known) ? known.map(String) : []),
    ...versions.filter(({ storage }) => storage).map(({ name }) => name),
  ]);
  return { name: String(objectAt(object, 'metadata').name), file, spec, versions, storedVersions: [...stored], parsed };
}
