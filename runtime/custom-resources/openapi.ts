/** What the OpenAPI v3 documents say of a custom resource: its paths, its kind and that of its lists. */
import type { Identity } from '../contract/identity.ts';
import type { OpenapiPart, ResourceData } from '../contract/kind.ts';
import { isStructural } from '../kinds/apiextensions/structural.ts';
import { pathsOfResource } from '../openapi/description/paths.ts';
import {
  type GroupVersionKind,
  META_PACKAGE,
  type OpenapiDocument,
  referencedSchemas,
  type Schema,
  schemaReference,
} from '../openapi/document.ts';
import { deepEqual } from '../schema/equal.ts';
import type { CustomSchema } from '../structural-schema/custom-schema.ts';
import type { CustomDefinition, CustomVersion } from './definition.ts';

const CONVENTIONS = 'https://git.${groupDomain}/community/contributors/devel/sig-architecture/api-conventions.md';

/** In either dialect: clients of the reference look for it. */
const TITLE = 'Kubernetes CRD Swagger';

const SCALE = 'io.k8s.api.autoscaling.v1.Scale';

/** Of the dialect, or placeholders. */
export interface DocumentNames extends Pick<Identity, 'text' | 'yaml'> {
  readonly groupDomain: string;
}

export interface OpenapiInput {
  readonly definition: CustomDefinition;
  /** one that is served */
  readonly version: CustomVersion;
  /** of that version */
  readonly resource: ResourceData;
  readonly identity: DocumentNames;
  /** has the schemas of the machinery that all kinds use */
  readonly machinery: OpenapiDocument;
}

export function customOpenapi({ definition, version, resource, identity, machinery }: OpenapiInput): OpenapiPart {
  const { group, names } = definition.spec;
  const { kind, listKind = `${kind}List` } = names;
  const nameOf = (each: string) => `${group.split('.').reverse().join('.')}.${version.name}.${each}`;
  const kindOf = (each: string): GroupVersionKind => ({ group, version: version.name, kind: each });
  const own: Record<string, Schema> = {
    [nameOf(kind)]: {
      ...published(definition, version, machinery),
      'x-kubernetes-group-version-kind': [kindOf(kind)],
      ...selectable(version),
    },
    [nameOf(listKind)]: {
      type: 'object',
      description: `${listKind} is a list of ${kind}`,
      required: ['items'],
      properties: {
        apiVersion: { type: 'string' },
        items: {
          type: 'array',
          description: `List of ${names.plural}. More info: ${identity.text(CONVENTIONS)}`,
          items: schemaReference(nameOf(kind)),
        },
        kind: { type: 'string' },
        metadata: memberOf('Status', 'metadata', machinery),
      },
      'x-kubernetes-group-version-kind': [kindOf(listKind)],
    },
  };
  const schemas = (name: string): Schema | undefined => own[name] ?? machinery.components.schemas[name];
  const input = {
    group,
    version: version.name,
    groupDomain: identity.groupDomain,
    mediaTypes: ['application/json', ...(identity.yaml ? ['application/yaml'] : [])],
    definition: (of: GroupVersionKind) => (of.group === group ? nameOf(of.kind) : SCALE),
    listDefinition: () => nameOf(listKind),
    schemas,
    describesWatches: false,
    takesStrategicPatches: false,
  };
  const paths = pathsOfResource(input, resource);
  return { info: { title: TITLE, version: 'v0.1.0' }, paths, schemas: referencedSchemas([paths, schemaReference(nameOf(kind))], schemas) };
}

/** By which fields lists of the kind may be cut down. */
function selectable({ selectableFields = [] }: CustomVersion): Schema {
  if (selectableFields.length === 0) return {};
  return { 'x-kubernetes-selectable-fields': selectableFields.map(({ jsonPath }) => ({ fieldPath: jsonPath.replace(/^\./, '') })) };
}

/** As the machinery's own kinds describe it. */
function memberOf(kind: string, name: string, { components }: OpenapiDocument): Schema {
  const { default: _, ...schema } = components.schemas[kind.includes('.') ? kind : `${META_PACKAGE}.${kind}`]?.properties?.[name] ?? {};
  return schema;
}

/** The schema with the members that every object has. Nothing is said of objects without a schema, or with one that tells no members from others. */
function published({ spec }: CustomDefinition, { schema }: CustomVersion, machinery: OpenapiDocument): Schema {
  const root = schema?.openAPIV3Schema;
  // others were refused
  const mayBeLoose = spec.preserveUnknownFields === true;
  if (root === undefined || (mayBeLoose && !isStructural(root as Parameters<typeof isStructural>[0]))) return { type: 'object' };
  const metadata = memberOf(SCALE, 'metadata', machinery);
  return withTypeMeta(publishedLevel(root, metadata), metadata);
}

function withTypeMeta(schema: Schema, metadata: Schema): Schema {
  const { apiVersion, kind } = schema.properties ?? {};
  const text = (of: Schema | undefined): Schema => ({
    type: 'string',
    ...(of?.description !== undefined && { description: of.description }),
  });
  return { ...schema, properties: { ...schema.properties, apiVersion: text(apiVersion), kind: text(kind), metadata } };
}

const INTEGER_OR_STRING: readonly Schema[] = [{ type: 'integer' }, { type: 'string' }];

/** One level of a structural schema as 1.32 publishes it: without what only its author reads, and with what its marks mean. */
function publishedLevel(schema: CustomSchema, metadata: Schema): Schema {
  const {
    items,
    properties,
    additionalProperties,
    example: _,
    $schema: __,
    id: ___,
    ...said
  } = schema as CustomSchema & Record<string, unknown>;
  const level: Schema = {
    ...(said as Schema),
    ...(items !== undefined && { items: publishedLevel(items, metadata) }),
    ...(properties !== undefined && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, publishedLevel(each, metadata)])),
    }),
    ...(additionalProperties !== undefined && {
      additionalProperties:
        typeof additionalProperties === 'object' ? publishedLevel(additionalProperties, metadata) : additionalProperties,
    }),
  };
  const unfolded = schema['x-kubernetes-int-or-string'] === true ? withTypes(level) : level;
  return schema['x-kubernetes-embedded-resource'] === true ? asEmbedded(unfolded, metadata) : unfolded;
}

/** An integer or a string is said in keywords that every reader knows. */
function withTypes(schema: Schema): Schema {
  const { anyOf, allOf = [] } = schema as Schema & { readonly anyOf?: readonly Schema[] };
  const first = allOf[0] as { readonly anyOf?: unknown } | undefined;
  if (deepEqual(anyOf, INTEGER_OR_STRING) || deepEqual(first?.anyOf, INTEGER_OR_STRING)) return schema;
  return anyOf === undefined ? { ...schema, anyOf: INTEGER_OR_STRING } : { ...schema, allOf: [{ anyOf: INTEGER_OR_STRING }, ...allOf] };
}

function asEmbedded(schema: Schema, metadata: Schema): Schema {
  const required = (schema.required ?? []) as readonly string[];
  const missing = ['kind', 'apiVersion'].filter((name) => !required.includes(name));
  return { ...withTypeMeta(schema, metadata), required: [...required, ...missing] };
}
