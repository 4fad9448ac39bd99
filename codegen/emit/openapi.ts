/** `openapi.json`: the OpenAPI v3 document of a group version as the server publishes it, with the dialect's names as placeholders. */
import type { ResourceData, SubresourceData } from '../../runtime/contract/kind.ts';
import type { SchemaLookup } from '../../runtime/openapi/description/parameters.ts';
import { pathsOfVersion } from '../../runtime/openapi/description/paths.ts';
import {
  type GroupVersionKind,
  META_PACKAGE,
  type OpenapiDocument,
  type PathItem,
  referencedSchemas,
  SECURITY_SCHEMES,
  schemaReference,
  TITLE,
} from '../../runtime/openapi/document.ts';
import type { GroupVersion, Model } from '../model/model.ts';
import { PublishedSchemas } from './openapi/schemas.ts';
import { serverPaths, VERSION_INFO, VERSION_SCHEMA } from './openapi/server-paths.ts';

const GROUP_DOMAIN = '${groupDomain}';
const MEDIA_TYPES = ['application/json', 'application/vnd.${mediaProduct}.protobuf', 'application/yaml'];

/**
 * Paths of all resources, and every schema that one of them refers to. The machinery's own group version has no resources: its document
 * has the paths that stand outside group versions.
 */
export function emitOpenapi(model: Model, groupVersion: GroupVersion): OpenapiDocument {
  const published = new PublishedSchemas(model);
  const schemas = (definition: string) => (definition === VERSION_INFO ? VERSION_SCHEMA : published.get(definition));
  const paths = pathsOf(model, groupVersion, schemas);
  return {
    openapi: '3.0.0',
    info: { title: TITLE, version: `v${model.release}.0` },
    paths,
    components: { schemas: referencedSchemas([paths, ...namedSchemas(groupVersion, schemas)], schemas), securitySchemes: SECURITY_SCHEMES },
  };
}

/** What the server says of custom kinds in this form refers to these, wherever they are served. */
const OF_CUSTOM_KINDS = [
  ...['CreateOptions', 'DeleteOptions', 'ListMeta', 'ListOptions', 'ObjectMeta', 'Patch', 'PatchOptions', 'Status', 'UpdateOptions'].map(
    (kind) => `${META_PACKAGE}.${kind}`,
  ),
  'io.k8s.api.autoscaling.v1.Scale',
];

/** Schemas that stand in a document though none of its paths refers to them. */
const namedSchemas = ({ package: name }: GroupVersion, schemas: SchemaLookup) =>
  name === META_PACKAGE ? OF_CUSTOM_KINDS.filter((each) => schemas(each) !== undefined).map(schemaReference) : [];

function pathsOf(model: Model, groupVersion: GroupVersion, schemas: SchemaLookup): Record<string, PathItem> {
  if (groupVersion.resources.length > 0) {
    const { resources, ...input } = pathsInput(model, groupVersion);
    return pathsOfVersion({ ...input, schemas, describesWatches: true, takesStrategicPatches: true }, resources);
  }
  if (groupVersion.package !== META_PACKAGE) return {};
  const groups = new Set(model.groupVersions.filter(({ resources }) => resources.length > 0).map(({ group }) => group));
  return serverPaths({ groups: [...groups], groupDomain: GROUP_DOMAIN, mediaTypes: MEDIA_TYPES });
}

/** JSON with one line for each schema and operation: differences stay readable, and little is wasted. */
export function openapiText(document: OpenapiDocument): string {
  const { schemas, ...others } = document.components;
  const paths = Object.entries(document.paths).map(([path, item]) => `${JSON.stringify(path)}:{\n${lines(item)}}`);
  return [
    `{"openapi":${JSON.stringify(document.openapi)},"info":${JSON.stringify(document.info)},"paths":{\n${paths.join(',\n')}},`,
    `"components":{${Object.entries(others).map(member).join(',')},"schemas":{\n${lines(schemas)}}}}\n`,
  ].join('\n');
}

function lines(members: object): string {
  return Object.entries(members).map(member).join(',\n');
}

function member([name, value]: [string, unknown]): string {
  return `${JSON.stringify(name)}:${JSON.stringify(value)}`;
}

function pathsInput(model: Model, groupVersion: GroupVersion) {
  const packages = new Map(
    model.groupVersions.filter(({ files }) => !files).map((each) => [`${each.group}/${each.version}`, each.package]),
  );
  const definition = ({ group, version, kind }: GroupVersionKind) => `${packages.get(`${group}/${version}`)}.${kind}`;
  const { group, version } = groupVersion;
  // The checks warn of a subresource whose kind stands in a version that has no schemas: nothing can be said of it.
  const described = (subresource: SubresourceData) => packages.has(`${subresource.group ?? group}/${subresource.version ?? version}`);
  return {
    group,
    version,
    resources: groupVersion.resources.map((resource) => ({ ...resource, subresources: resource.subresources.filter(described) })),
    groupDomain: GROUP_DOMAIN,
    mediaTypes: MEDIA_TYPES,
    definition,
    listDefinition: ({ kind }: ResourceData) => {
      const type = model.types.get(definition({ group, version, kind }));
      return definition({ group, version, kind: (type?.kind === 'struct' && type.list) || `${kind}List` });
    },
  };
}
