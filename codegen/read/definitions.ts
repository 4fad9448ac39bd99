/** Reads custom resource definitions out of files of YAML or JSON. A file may hold any number of documents, and other kinds in it are passed over. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { parseAllDocuments } from 'yaml';
import { deprecatable, deprecationOf } from '../../runtime/contract/version-deprecation.ts';
import { definitionProblems } from './definition-problems.ts';
import { isObject, type JsonObject } from './sources.ts';

/** The parts of a definition of which typed clients are made. */
export interface Definition {
  /** Path of the file, as it was given. */
  readonly file: string;
  readonly group: string;
  readonly scope: 'Namespaced' | 'Cluster';
  readonly plural: string;
  readonly kind: string;
  /** The versions that are served. */
  readonly versions: readonly DefinedVersion[];
}

/** A version of a definition that is served. */
export interface DefinedVersion {
  readonly name: string;
  /** The schema of the whole object; {} if the version states none. */
  readonly schema: DefinedSchema;
  readonly deprecation?: string;
  readonly hasStatus: boolean;
  readonly hasScale: boolean;
  /** Dotted paths of the members, without the `.` that they begin with in the definition. */
  readonly selectableFields: readonly string[];
}

/** A schema of a definition, with the members of JSONSchemaProps that decide what type a value has. */
export interface DefinedSchema {
  readonly type?: string;
  readonly format?: string;
  readonly description?: string;
  readonly nullable?: boolean;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, DefinedSchema>>;
  readonly additionalProperties?: DefinedSchema | boolean;
  readonly items?: DefinedSchema | readonly DefinedSchema[];
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly 'x-kubernetes-embedded-resource'?: boolean;
  readonly 'x-kubernetes-int-or-string'?: boolean;
  readonly 'x-kubernetes-list-type'?: string;
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-map-type'?: string;
}

/** Has all problems of the files with definitions, one a line, each with its file. */
export class DefinitionsError extends Error {
  override readonly name = 'DefinitionsError';
  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
  }
}

const KIND = 'CustomResourceDefinition';
const API_VERSION = /^apiextensions\..+\/v1$/;
const FILE = /\.(?:ya?ml|json)$/;

/**
 * @param places paths of files and folders. Of a folder, all files at any depth count that end in .yaml, .yml or .json
 * @throws DefinitionsError for files that cannot be read, and for definitions that no server would take
 */
export function readDefinitions(places: readonly string[]): Definition[] {
  return readDefinitionObjects(places).map(({ definition }) => definition);
}

/** A definition, read and as a whole. */
export interface DefinitionObject {
  readonly definition: Definition;
  /** The whole object as the file has it. The members of which `definition` was made are there, and have the right form. */
  readonly object: JsonObject;
}

/** Reads the same definitions as `readDefinitions`, along with the whole objects. */
export function readDefinitionObjects(places: readonly string[]): DefinitionObject[] {
  const problems: string[] = [];
  const definitions = places
    .flatMap((place) => filesOf(place, problems))
    .flatMap((file) => definitionsOf(file, (problem) => problems.push(`${file}: ${problem}`)));
  const seen = new Set<string>();
  for (const { definition } of definitions) {
    const { file, group, plural, kind } = definition;
    problems.push(...definitionProblems(definition).map((problem) => `${file}: ${problem}`));
    const [twice] = [`${plural}.${group}`, `the kind ${kind} of ${group}`].filter((name) => seen.has(name));
    if (twice !== undefined) problems.push(`${file}: ${twice} is defined twice`);
    seen.add(`${plural}.${group}`).add(`the kind ${kind} of ${group}`);
  }
  if (problems.length > 0) throw new DefinitionsError(problems);
  return definitions;
}

function filesOf(place: string, problems: string[]): string[] {
  try {
    if (!statSync(place).isDirectory()) return [place];
    const files = readdirSync(place, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile() && FILE.test(entry.name));
    return files.map((entry) => path.join(entry.parentPath, entry.name)).sort();
  } catch (error) {
    problems.push(`${place}: ${(error as Error).message}`);
    return [];
  }
}

type Tell = (problem: string) => void;

function definitionsOf(file: string, tell: Tell): DefinitionObject[] {
  let documents: unknown[];
  try {
    documents = parseDocuments(readFileSync(file, 'utf8'));
  } catch (error) {
    tell((error as Error).message);
    return [];
  }
  const objects = documents.flatMap((document) => (isObject(document) && Array.isArray(document.items) ? document.items : [document]));
  return objects
    .filter((object): object is JsonObject => isObject(object) && object.kind === KIND)
    .flatMap((object) => {
      const definition = read(object, file, tell);
      return definition === undefined ? [] : [{ definition, object }];
    });
}

/** @throws Error for text that is no YAML */
function parseDocuments(text: string): unknown[] {
  const documents = parseAllDocuments(text);
  if (!Array.isArray(documents)) return [];
  return documents.map((document) => {
    const [problem] = document.errors;
    if (problem !== undefined) throw problem;
    return document.toJS() as unknown;
  });
}

function read(object: JsonObject, file: string, tell: Tell): Definition | undefined {
  const { apiVersion, spec } = object;
  if (!API_VERSION.test(String(apiVersion))) return void tell(`a ${KIND} of ${String(apiVersion)} is not known, only of v1`);
  const { group, scope, names, versions } = (isObject(spec) ? spec : {}) as JsonObject;
  const { plural, kind } = (isObject(names) ? names : {}) as JsonObject;
  const missing = Object.entries({ group, scope, 'names.plural': plural, 'names.kind': kind }).filter(
    ([, value]) => typeof value !== 'string',
  );
  if (missing.length > 0 || !Array.isArray(versions)) {
    const members = [...missing.map(([member]) => member), ...(Array.isArray(versions) ? [] : ['versions'])];
    return void tell(`a ${KIND} without spec.${members.join(', spec.')}`);
  }
  if (scope !== 'Namespaced' && scope !== 'Cluster') return void tell(`the scope ${String(scope)} is neither Namespaced nor Cluster`);
  return readDefinition({ spec: { group: String(group), scope, names: { plural: String(plural), kind: String(kind) }, versions } }, file);
}

/** The members that every definition has. */
interface StatedDefinition {
  readonly spec: {
    readonly group: string;
    readonly scope: 'Namespaced' | 'Cluster';
    readonly names: { readonly plural: string; readonly kind: string };
    readonly versions: readonly unknown[];
  };
}

/** Reads a definition whose members have the right form already. */
export function readDefinition({ spec: { group, scope, names, versions } }: StatedDefinition, file: string): Definition {
  const { plural, kind } = names;
  const served = versions.filter((version): version is JsonObject => isObject(version) && version.served === true);
  return {
    file,
    group,
    scope,
    plural,
    kind,
    versions: served.map((version) => versionOf(version, { group, names, versions: served.map(deprecatable) })),
  };
}

function versionOf(version: JsonObject, spec: Parameters<typeof deprecationOf>[1]): DefinedVersion {
  const { name, schema, subresources, selectableFields } = version;
  const deprecation = deprecationOf(deprecatable(version), spec);
  const parts = isObject(subresources) ? subresources : {};
  const fields = Array.isArray(selectableFields) ? selectableFields.filter(isObject) : [];
  return {
    name: String(name),
    schema: ((isObject(schema) ? schema.openAPIV3Schema : undefined) ?? {}) as DefinedSchema,
    ...(deprecation !== undefined && { deprecation }),
    hasStatus: parts.status !== undefined,
    hasScale: parts.scale !== undefined,
    selectableFields: fields.map(({ jsonPath }) => String(jsonPath).replace(/^\./, '')),
  };
}
