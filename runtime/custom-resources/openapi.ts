/** What the OpenAPI v3 documents say of a custom resource: its paths, its kind and that of its lists. */
import type { Identity } from '../contract/identity.ts';
import type { CustomSchema } from '../kinds/custom-objects/custom-schema.ts';
import type { JsonObject } from '../schema/member.ts';
import type { CustomDefinition, CustomVersion } from './definition.ts';

const CONVENTIONS = 'https://git.${groupDomain}/community/contributors/devel/sig-architecture/api-conventions.md';
const META = 'io.k8s.apimachinery.pkg.apis.meta.v1';
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });

/** In either dialect: clients of the reference look for it. */
const TITLE = 'Kubernetes CRD Swagger';

/** @param version name of one that is served. @param text as of `Identity` */
export function customOpenapi(definition: CustomDefinition, version: string, text: Identity['text']): JsonObject {
  const { group, names, scope, versions } = definition.spec;
  const found = versions.find(({ name }) => name === version) as CustomVersion;
  const { kind, plural } = names;
  const name = `${group.split('.').reverse().join('.')}.${version}.${kind}`;
  const listName = `${name}List`;
  const gvk = { group, version, kind };
  const base = `/apis/${group}/${version}`;
  const collection = scope === 'Cluster' ? `${base}/${plural}` : `${base}/namespaces/{namespace}/${plural}`;
  const operation = (action: string, schema: string, id: string) => ({
    operationId: id,
    tags: [`${camel(group)}_${version}`],
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': gvk,
    responses: {
      200: { description: 'OK', content: { 'application/json': { schema: ref(schema) }, 'application/yaml': { schema: ref(schema) } } },
      401: { description: 'Unauthorized' },
    },
  });
  const body = { requestBody: { required: true, content: { 'application/json': { schema: ref(name) } } } };
  const patch = {
    requestBody: { required: true, content: Object.fromEntries(PATCHES.map((type) => [type, { schema: ref(`${META}.Patch`) }])) },
  };
  const scoped = scope === 'Cluster' ? '' : 'Namespaced';
  const id = (verb: string, suffix = '') => `${verb}${pascal(group)}${pascal(version)}${scoped}${kind}${suffix}`;
  const parameters = (...named: string[]) => ({
    parameters: named.map((each) => ({ name: each, in: 'path', required: true, schema: { type: 'string', uniqueItems: true } })),
  });
  const inScope = scope === 'Cluster' ? [] : ['namespace'];
  const subresource = (which: string) => ({
    get: operation('get', name, id('read', which)),
    put: { ...operation('put', name, id('replace', which)), ...body },
    patch: { ...operation('patch', name, id('patch', which)), ...patch },
    ...parameters('name', ...inScope),
  });
  return {
    openapi: '3.0.0',
    info: { title: TITLE, version: 'v0.1.0' },
    paths: {
      ...(scope !== 'Cluster' && {
        [`${base}/${plural}`]: { get: operation('list', listName, `list${pascal(group)}${pascal(version)}${kind}ForAllNamespaces`) },
      }),
      [collection]: {
        get: operation('list', listName, id('list')),
        post: { ...operation('post', name, id('create')), ...body },
        delete: operation(
          'deletecollection',
          `${META}.Status`,
          id('delete').replace(`delete${pascal(group)}${pascal(version)}`, `delete${pascal(group)}${pascal(version)}Collection`),
        ),
        ...(inScope.length > 0 && parameters(...inScope)),
      },
      [`${collection}/{name}`]: {
        get: operation('get', name, id('read')),
        put: { ...operation('put', name, id('replace')), ...body },
        patch: { ...operation('patch', name, id('patch')), ...patch },
        delete: operation('delete', `${META}.Status`, id('delete')),
        ...parameters('name', ...inScope),
      },
      ...(found.subresources?.status !== undefined && { [`${collection}/{name}/status`]: subresource('Status') }),
    },
    components: {
      schemas: {
        [name]: { ...published(found.schema?.openAPIV3Schema), 'x-kubernetes-group-version-kind': [gvk] },
        [listName]: {
          type: 'object',
          description: `${kind}List is a list of ${kind}`,
          required: ['items'],
          properties: {
            apiVersion: { type: 'string' },
            items: {
              type: 'array',
              description: `List of ${plural}. More info: ${text(CONVENTIONS)}`,
              items: ref(name),
            },
            kind: { type: 'string' },
            metadata: { allOf: [ref(`${META}.ListMeta`)], default: {} },
          },
          'x-kubernetes-group-version-kind': [{ ...gvk, kind: names.listKind ?? `${kind}List` }],
        },
      },
    },
  };
}

const PATCHES = ['application/json-patch+json', 'application/merge-patch+json', 'application/apply-patch+yaml'];

/** The schema with the members that every object has. */
function published(schema: CustomSchema | undefined): JsonObject {
  if (schema === undefined || schema['x-kubernetes-preserve-unknown-fields'] === true)
    return {
      type: 'object',
      ...(schema?.description !== undefined && { description: schema.description }),
      'x-kubernetes-preserve-unknown-fields': true,
    };
  return {
    ...schema,
    properties: {
      ...schema.properties,
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: { allOf: [ref(`${META}.ObjectMeta`)], default: {} },
    },
  };
}

const pascal = (text: string): string =>
  text
    .split(/[.-]/)
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join('');
const camel = (text: string): string => text.charAt(0).toLowerCase() + pascal(text).slice(1);
