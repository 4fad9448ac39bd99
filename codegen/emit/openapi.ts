/** `openapi.json`: the OpenAPI v3 document of a group version as the server publishes it, with the dialect's names as placeholders. */
import type { ResourceData, SubresourceData } from '../../runtime/contract/kind.ts';
import type { GroupVersionKind, OpenapiDocument } from '../../runtime/openapi/document.ts';
import { META_PACKAGE, referencedSchemas, SECURITY_SCHEMES, schemaReference, TITLE } from '../../runtime/openapi/document.ts';
import { buildPaths } from '../../runtime/openapi/paths.ts';
import type { GroupVersion, Model } from '../model/model.ts';
import { PublishedSchemas } from './openapi/schemas.ts';

const MEDIA_TYPES = ['application/json', 'application/vnd.${mediaProduct}.protobuf', 'application/yaml'];

/**
 * Paths of all resources, and every schema that one of them refers to. The machinery's own group version has no path: its document holds
 * all its schemas, of which the server makes the documents of what stands outside group versions.
 */
export function emitOpenapi(model: Model, groupVersion: GroupVersion): OpenapiDocument {
  const schemas = new PublishedSchemas(model);
  const lookup = (definition: string) => schemas.get(definition);
  const paths = groupVersion.resources.length === 0 ? {} : buildPaths({ ...pathsInput(model, groupVersion), schemas: lookup });
  const own = groupVersion.package === META_PACKAGE ? groupVersion.types.map(({ definition }) => schemaReference(definition)) : [];
  return {
    openapi: '3.0.0',
    info: { title: TITLE, version: `v${model.currentRelease}.0` },
    paths,
    components: { schemas: referencedSchemas([paths, own], lookup), securitySchemes: SECURITY_SCHEMES },
  };
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
  const packages = new Map(model.groupVersions.map((each) => [`${each.group}/${each.version}`, each.package]));
  const definition = ({ group, version, kind }: GroupVersionKind) => `${packages.get(`${group}/${version}`)}.${kind}`;
  const { group, version } = groupVersion;
  // The checks warn of a subresource whose kind stands in a version that has no schemas: nothing can be said of it.
  const described = (subresource: SubresourceData) => packages.has(`${subresource.group ?? group}/${subresource.version ?? version}`);
  return {
    group,
    version,
    resources: groupVersion.resources.map((resource) => ({ ...resource, subresources: resource.subresources.filter(described) })),
    groupDomain: '${groupDomain}',
    mediaTypes: MEDIA_TYPES,
    strategicMergePatch: true,
    definition,
    listDefinition: ({ kind }: ResourceData) => {
      const type = model.types.get(definition({ group, version, kind }));
      return definition({ group, version, kind: (type?.kind === 'struct' && type.list) || `${kind}List` });
    },
  };
}
