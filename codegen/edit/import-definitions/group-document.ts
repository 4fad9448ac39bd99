/** Writes the document of a group version whose kinds come from definitions. */

import { deprecationOf } from '../../../runtime/contract/version-deprecation.ts';
import type { CustomColumn, CustomDefinition, CustomScale, CustomVersion } from '../../../runtime/custom-resources/definition.ts';
import type { JsonObject } from '../../read/sources.ts';
import { memberLines, valueLines } from '../yaml-lines.ts';
import { NamedTypes } from './named-types.ts';

/** A version of a kind. */
export interface DefinedKind {
  readonly spec: CustomDefinition['spec'];
  readonly version: CustomVersion;
}

/** What goes into the document of one group version. */
export interface DocumentRequest {
  readonly group: string;
  readonly version: string;
  /** Folder of the group below `schemas/`. */
  readonly folder: string;
  /** The release that introduces the kinds. */
  readonly release: string;
  readonly kinds: readonly DefinedKind[];
}

/** Schemas by name, as the document states them. */
export type DocumentSchemas = ReadonlyMap<string, JsonObject>;

/** @returns the schemas that a document would state if it referred to no other one */
export function schemasOf({ kinds, release, group }: DocumentRequest): DocumentSchemas {
  const types = new NamedTypes(kinds.flatMap(({ spec: { names } }) => [names.kind, `${names.kind}List`]));
  const stated = kinds.map((kind): [string, JsonObject][] => [
    [kind.spec.names.kind, kindSchema(kind, types, release, group)],
    [`${kind.spec.names.kind}List`, listSchema(kind, release)],
  ]);
  return new Map([...stated.flat(), ...types.all]);
}

function kindSchema({ spec, version }: DefinedKind, types: NamedTypes, release: string, group: string): JsonObject {
  const { names } = spec;
  const { type, description, ...schema } = types.ofKind(names.kind, version.schema?.openAPIV3Schema as JsonObject);
  const { additionalPrinterColumns: columns = [] } = version;
  const deprecation = deprecationOf(version, { ...spec, group });
  return {
    type,
    ...(description !== undefined && { description }),
    'x-cluster-kind': true,
    'x-cluster-lifecycle': { introduced: release },
    ...(deprecation !== undefined && { 'x-cluster-deprecation-warning': deprecation }),
    ...conversionOf(spec, version),
    ...(columns.length > 0 && { 'x-cluster-table': { columns: columns.map(columnOf) } }),
    ...schema,
  };
}

function conversionOf({ group, names, versions }: CustomDefinition['spec'], version: CustomVersion): JsonObject {
  const hub = versions.find(({ storage }) => storage) as CustomVersion;
  return hub.name === version.name ? {} : { 'x-cluster-conversion': { to: { group, version: hub.name, kind: names.kind } } };
}

function columnOf({ name, type, format, description, priority, jsonPath }: CustomColumn): JsonObject {
  return {
    name,
    type,
    ...(format && { format }),
    ...(description && { description }),
    ...(priority !== undefined && priority !== 0 && { priority }),
    [type === 'date' ? 'age' : 'path']: jsonPath,
  };
}

const META = '../../meta/v1/openapi.yaml#/components/schemas/ListMeta';

function listSchema({ spec: { names } }: DefinedKind, release: string): JsonObject {
  return {
    type: 'object',
    description: `${names.kind}List is a list of ${names.kind}.`,
    'x-cluster-kind': true,
    'x-cluster-lifecycle': { introduced: release },
    required: ['items'],
    properties: {
      metadata: { description: 'Metadata of the list.', allOf: [{ $ref: META }] },
      items: {
        description: `The ${names.plural}.`,
        type: 'array',
        items: { $ref: `#/components/schemas/${names.kind}` },
        'x-cluster-always': true,
      },
    },
  };
}

/** The verbs of custom resources, in the order in which discovery lists them. */
const VERBS = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];
const PART_VERBS = ['get', 'patch', 'update'];

function resourceOf({ spec, version }: DefinedKind): JsonObject {
  const { names, scope, versions } = spec;
  const { subresources: { status, scale } = {}, selectableFields = [] } = version;
  const hub = versions.find(({ storage }) => storage) as CustomVersion;
  const subresources = [
    ...(status === undefined ? [] : [{ name: 'status', kind: names.kind, verbs: PART_VERBS }]),
    ...(scale === undefined ? [] : [scaleOf(scale)]),
  ];
  return {
    name: names.plural,
    kind: names.kind,
    singular: names.singular ?? names.kind.toLowerCase(),
    scope,
    ...(names.shortNames?.length && { shortNames: names.shortNames }),
    ...(names.categories?.length && { categories: names.categories }),
    verbs: VERBS,
    ...(subresources.length > 0 && { subresources }),
    ...(hub.name !== version.name && { storage: { version: hub.name } }),
    ...(selectableFields.length > 0 && { selectableFields: selectableFields.map(({ jsonPath }) => dotted(jsonPath)) }),
  };
}

function scaleOf({ specReplicasPath, statusReplicasPath, labelSelectorPath = '' }: CustomScale): JsonObject {
  const scale = { specReplicas: dotted(specReplicasPath), statusReplicas: dotted(statusReplicasPath), selector: dotted(labelSelectorPath) };
  return { name: 'scale', kind: 'Scale', group: 'autoscaling', version: 'v1', verbs: PART_VERBS, scale };
}

const dotted = (path: string): string => path.replace(/^\./, '');

/** Marks that each version states for itself, beside a reference to the schema of another one. */
const OWN = ['x-cluster-lifecycle', 'x-cluster-deprecation-warning', 'x-cluster-conversion', 'x-cluster-table'];

/**
 * @param hub the version in which most kinds are stored, to whose types the document refers where they say the same; undefined if the document is of that one
 * @returns the text of openapi.yaml
 */
export function documentText(
  request: DocumentRequest,
  schemas: DocumentSchemas,
  hub: { readonly version: string; readonly schemas: DocumentSchemas } | undefined,
): string {
  const { group, version, folder, kinds } = request;
  const stated = [...schemas].flatMap(([name, schema]) => memberLines(name, hub === undefined ? schema : referring(name, schema, hub), 4));
  return [
    'openapi: "3.0.3"',
    ...memberLines('info', { title: `${folder}/${version}`, version }, 0),
    ...memberLines(
      'x-cluster-group-version',
      { group, version, package: `${group.split('.').reverse().join('.')}.${version}`, structural: true, enabledByDefault: true },
      0,
    ),
    'x-cluster-resources:',
    ...valueLines(kinds.map(resourceOf), 2),
    'paths: {}',
    'components:',
    '  schemas:',
    ...stated,
    '',
  ].join('\n');
}

function referring(name: string, schema: JsonObject, hub: { readonly version: string; readonly schemas: DocumentSchemas }): JsonObject {
  const other = hub.schemas.get(name);
  if (other === undefined || sharedText(schema) !== sharedText(other)) return schema;
  const own = Object.entries(schema).filter(([keyword]) => OWN.includes(keyword));
  return { $ref: `../${hub.version}/openapi.yaml#/components/schemas/${name}`, ...Object.fromEntries(own) };
}

const sharedText = (schema: JsonObject): string => JSON.stringify(Object.entries(schema).filter(([keyword]) => !OWN.includes(keyword)));
