/** Describes a custom resource in one version for the OpenAPI 3 documents: its paths, its kind and the kind of its lists. */
import type { Identity } from '../contract/identity.ts';
import type { ResourceData } from '../contract/kind.ts';
import type { OpenapiPart } from '../contract/openapi-source.ts';
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
import { withStated } from '../openapi/stated-required.ts';
import { atOnce } from '../schema/at-once.ts';
import { deepEqual } from '../schema/equal.ts';
import { setMember } from '../schema/json/member.ts';
import type { CustomSchema } from '../structural-schema/custom-schema.ts';
import type { CustomDefinition, CustomVersion } from './definition.ts';

const CONVENTIONS = 'https://git.${groupDomain}/community/contributors/devel/sig-architecture/api-conventions.md';

/** The title of the documents, which is the same in both dialects, because clients of kube-apiserver look for it. */
const TITLE = 'Kubernetes CRD Swagger';

const SCALE = 'io.k8s.api.autoscaling.v1.Scale';

/** The names of the dialect that documents contain; a generator may pass placeholders instead. */
export interface DocumentNames extends Pick<Identity, 'text' | 'yaml'> {
  readonly groupDomain: string;
}

export interface OpenapiInput {
  readonly definition: CustomDefinition;
  /** the version to describe, which is served */
  readonly version: CustomVersion;
  /** the registry's data about the resource in that version */
  readonly resource: ResourceData;
  readonly identity: DocumentNames;
  /** a document with the schemas that all kinds use, such as those of metadata */
  readonly machinery: OpenapiDocument;
  /** whether the version's schema is so long that going through it takes long; default false */
  readonly isMuchWork?: boolean;
}

/** Does the same as `customOpenapiSlices` without pauses. */
export const customOpenapi = (input: OpenapiInput): OpenapiPart => atOnce(customOpenapiSlices(input));

/** Makes the description in pieces, between which the caller may do something else. */
export function* customOpenapiSlices(input: OpenapiInput): Generator<void, OpenapiPart, void> {
  const { definition, version, resource, identity, machinery } = input;
  const { group, names } = definition.spec;
  const { kind, listKind = `${kind}List` } = names;
  const nameOf = (each: string) => `${group.split('.').reverse().join('.')}.${version.name}.${each}`;
  const kindOf = (each: string): GroupVersionKind => ({ group, version: version.name, kind: each });
  const { schema, uses } = yield* published(definition, version, machinery);
  const own: Record<string, Schema> = {
    [nameOf(kind)]: {
      ...schema,
      'x-kubernetes-group-version-kind': [kindOf(kind)],
      ...selectable(version),
    },
    [nameOf(listKind)]: {
      type: 'object',
      description: `${listKind} is a list of ${kind}`,
      required: ['items'],
      properties: {
        apiVersion: memberOf('Status', 'apiVersion', machinery),
        items: {
          type: 'array',
          description: `List of ${names.plural}. More info: ${identity.text(CONVENTIONS)}`,
          items: schemaReference(nameOf(kind)),
        },
        kind: memberOf('Status', 'kind', machinery),
        metadata: memberOf('Status', 'metadata', machinery),
      },
      'x-kubernetes-group-version-kind': [kindOf(listKind)],
    },
  };
  const schemas = (name: string): Schema | undefined => own[name] ?? machinery.components.schemas[name];
  const described = {
    group,
    version: version.name,
    groupDomain: identity.groupDomain,
    mediaTypes: ['application/json', ...(identity.yaml ? ['application/yaml'] : [])],
    definition: (of: GroupVersionKind) => (of.group === group ? nameOf(of.kind) : SCALE),
    listDefinition: () => nameOf(listKind),
    schemas,
    isCustom: true,
  };
  const paths = pathsOfResource(described, resource);
  const used = (name: string) => (name === nameOf(kind) ? uses : schemas(name));
  const found = Object.keys(referencedSchemas([paths, schemaReference(nameOf(kind))], used));
  return {
    info: { title: TITLE, version: 'v0.1.0' },
    paths,
    schemas: Object.fromEntries(found.map((name) => [name, schemas(name) as Schema])),
    ...(input.isMuchWork && { isMuchWork: true }),
  };
}

/** Tells by which fields lists of the kind may be selected. */
function selectable({ selectableFields = [] }: CustomVersion): Schema {
  if (selectableFields.length === 0) return {};
  return { 'x-kubernetes-selectable-fields': selectableFields.map(({ jsonPath }) => ({ fieldPath: jsonPath.replace(/^\./, '') })) };
}

/** Returns the schema of a member as one of the kinds in `machinery` has it, without its default. */
function memberOf(kind: string, name: string, { components }: OpenapiDocument): Schema {
  const { default: _, ...schema } = components.schemas[kind.includes('.') ? kind : `${META_PACKAGE}.${kind}`]?.properties?.[name] ?? {};
  return schema;
}

interface Published {
  /** the whole schema */
  readonly schema: Schema;
  /** the part of the schema that may refer to other schemas: those of definitions cannot, although values in them may look like references */
  readonly uses: Schema;
}

/**
 * Makes the schema that documents have, with the members that every object has. Without a schema, or with one that is not structural, it says only that it is
 * an object.
 */
function* published({ spec }: CustomDefinition, { schema }: CustomVersion, machinery: OpenapiDocument): Generator<void, Published, void> {
  const root = schema?.openAPIV3Schema;
  // all other schemas are structural, because the server has refused those that are not
  const mayBeLoose = spec.preserveUnknownFields === true;
  if (root === undefined || (mayBeLoose && !isStructural(root as Parameters<typeof isStructural>[0])))
    return { schema: { type: 'object' }, uses: {} };
  const member = (name: string): Schema => memberOf(SCALE, name, machinery);
  const shared = { apiVersion: member('apiVersion'), kind: member('kind'), metadata: member('metadata') };
  return { schema: withShared(yield* publishedLevel(root, shared), shared), uses: { properties: { metadata: shared.metadata } } };
}

/** The schemas of the members that every object has, embedded ones too. */
type SharedMembers = Readonly<Record<'apiVersion' | 'kind' | 'metadata', Schema>>;

/** Adds the members that every object has. What the definition says of `apiVersion` and `kind` stays. */
function withShared(schema: Schema, { apiVersion, kind, metadata }: SharedMembers): Schema {
  const { properties = {} } = schema;
  const text = (of: Schema | undefined, shared: Schema): Schema => ({
    ...shared,
    ...(of?.description !== undefined && { description: of.description }),
  });
  return {
    ...schema,
    properties: { ...properties, apiVersion: text(properties.apiVersion, apiVersion), kind: text(properties.kind, kind), metadata },
  };
}

const INTEGER_OR_STRING: readonly Schema[] = [{ type: 'integer' }, { type: 'string' }];

/** What a schema says that 1.32 does not publish. */
function withoutRemarks({ example: _, externalDocs: __, $schema: ___, id: ____, ...said }: Schema): Schema {
  return said;
}

/** Makes a part of a junctor, which constrains the values of a schema. */
function* publishedPart(part: Schema): Generator<void, Schema, void> {
  yield;
  const { items, properties, ...said } = withoutRemarks(part);
  const members: Record<string, Schema> = {};
  for (const [name, member] of Object.entries(properties ?? {})) setMember(members, name, yield* publishedPart(member));
  return {
    ...(yield* withPublishedParts(said)),
    ...(items !== undefined && { items: yield* publishedPart(items) }),
    ...(properties !== undefined && { properties: members }),
  };
}

function* withPublishedParts(schema: Schema): Generator<void, Schema, void> {
  const published: Record<string, unknown> = { ...schema };
  for (const junctor of ['allOf', 'anyOf', 'oneOf'] as const) {
    const parts = schema[junctor] as readonly Schema[] | undefined;
    if (parts === undefined) continue;
    const made: Schema[] = [];
    for (const part of parts) made.push(yield* publishedPart(part));
    published[junctor] = made;
  }
  if (schema.not !== undefined) published.not = yield* publishedPart(schema.not as Schema);
  return published;
}

/** Makes one level of a structural schema as 1.32 publishes it, with the keywords that its extensions stand for beside these extensions. */
function* publishedLevel(schema: CustomSchema, shared: SharedMembers): Generator<void, Schema, void> {
  yield;
  const { items, properties, additionalProperties, ...said } = schema as CustomSchema & Record<string, unknown>;
  const level: Schema = {
    ...(yield* withPublishedParts(withoutRemarks(said as Schema))),
    ...(items !== undefined && { items: yield* publishedLevel(items, shared) }),
    ...(properties !== undefined && { properties: yield* publishedMembers(properties, shared) }),
    ...(additionalProperties !== undefined && {
      additionalProperties:
        typeof additionalProperties === 'object' ? yield* publishedLevel(additionalProperties, shared) : additionalProperties,
    }),
  };
  const unfolded = schema['x-kubernetes-int-or-string'] === true ? withTypes(level) : level;
  return schema['x-kubernetes-embedded-resource'] === true ? asEmbedded(unfolded, shared) : unfolded;
}

function* publishedMembers(
  properties: Readonly<Record<string, CustomSchema>>,
  shared: SharedMembers,
): Generator<void, Record<string, Schema>, void> {
  const members: Record<string, Schema> = {};
  for (const name of Object.keys(properties)) setMember(members, name, yield* publishedLevel(properties[name] as CustomSchema, shared));
  return members;
}

/** Adds the keywords that say to every reader that a value is an integer or a string, unless the schema has them already. */
function withTypes(schema: Schema): Schema {
  const { anyOf, allOf = [] } = schema as Schema & { readonly anyOf?: readonly Schema[] };
  const first = allOf[0] as { readonly anyOf?: unknown } | undefined;
  if (deepEqual(anyOf, INTEGER_OR_STRING) || deepEqual(first?.anyOf, INTEGER_OR_STRING)) return schema;
  return anyOf === undefined ? { ...schema, anyOf: INTEGER_OR_STRING } : { ...schema, allOf: [{ anyOf: INTEGER_OR_STRING }, ...allOf] };
}

function asEmbedded(schema: Schema, shared: SharedMembers): Schema {
  const required = (schema.required ?? []) as readonly string[];
  const missing = ['kind', 'apiVersion'].filter((name) => !required.includes(name));
  return withStated({ ...withShared(schema, shared), required: [...required, ...missing] }, required);
}
