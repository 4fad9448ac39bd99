/** The OpenAPI v3 document of a group version, of what the schemas state. Text may have identity placeholders, which stay. */
import type { ResourceData, SubresourceData } from '../../contract/kind.ts';
import {
  type GroupVersionKind,
  META_PACKAGE,
  type OpenapiDocument,
  type PathItem,
  referencedSchemas,
  SECURITY_SCHEMES,
  schemaReference,
  TITLE,
} from '../document.ts';
import type { SchemaLookup } from './parameters.ts';
import { pathsOfVersion } from './paths.ts';
import { serverPaths, VERSION_INFO, VERSION_SCHEMA } from './server-paths.ts';

export interface DescribedVersion {
  readonly group: string;
  readonly version: string;
  /** what definition names begin with, such as `io.k8s.api.apps.v1` */
  readonly package: string;
  readonly resources: readonly ResourceData[];
}

/** The API that a document is of. */
export interface DescribedApi {
  /** such as 1.32 */
  readonly release: string;
  /** all of it, served by default or not */
  readonly groupVersions: readonly DescribedVersion[];
  readonly schemas: SchemaLookup;
  /** name of the kind that has lists of a kind, by the definition of that; undefined: `<Kind>List` */
  readonly listOf: (definition: string) => string | undefined;
}

const GROUP_DOMAIN = '${groupDomain}';
const MEDIA_TYPES = ['application/json', 'application/vnd.${mediaProduct}.protobuf', 'application/yaml'];

/**
 * Paths of all resources, and every schema that one of them refers to. The machinery's own group version has no resources: its document
 * has the paths that stand outside group versions.
 */
export function versionDocument(described: DescribedVersion, api: DescribedApi): OpenapiDocument {
  const schemas: SchemaLookup = (definition) => (definition === VERSION_INFO ? VERSION_SCHEMA : api.schemas(definition));
  const paths = pathsOf(described, { ...api, schemas });
  return {
    openapi: '3.0.0',
    info: { title: TITLE, version: `v${api.release}.0` },
    paths,
    components: { schemas: referencedSchemas([paths, ...namedSchemas(described, schemas)], schemas), securitySchemes: SECURITY_SCHEMES },
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
const namedSchemas = ({ package: name }: DescribedVersion, schemas: SchemaLookup) =>
  name === META_PACKAGE ? OF_CUSTOM_KINDS.filter((each) => schemas(each) !== undefined).map(schemaReference) : [];

function pathsOf(described: DescribedVersion, api: DescribedApi): Record<string, PathItem> {
  if (described.resources.length > 0) {
    const { resources, ...input } = pathsInput(described, api);
    return pathsOfVersion({ ...input, schemas: api.schemas, describesWatches: true, takesStrategicPatches: true }, resources);
  }
  if (described.package !== META_PACKAGE) return {};
  const groups = new Set(api.groupVersions.filter(({ resources }) => resources.length > 0).map(({ group }) => group));
  return serverPaths({ groups: [...groups], groupDomain: GROUP_DOMAIN, mediaTypes: MEDIA_TYPES });
}

function pathsInput({ group, version, resources }: DescribedVersion, { groupVersions, listOf }: DescribedApi) {
  const packages = new Map(groupVersions.map((each) => [`${each.group}/${each.version}`, each.package]));
  const definition = ({ group, version, kind }: GroupVersionKind) => `${packages.get(`${group}/${version}`)}.${kind}`;
  // Of a subresource whose kind stands in a version that has no schemas nothing can be said.
  const isDescribed = (subresource: SubresourceData) => packages.has(`${subresource.group ?? group}/${subresource.version ?? version}`);
  return {
    group,
    version,
    resources: resources.map((resource) => ({ ...resource, subresources: resource.subresources.filter(isDescribed) })),
    groupDomain: GROUP_DOMAIN,
    mediaTypes: MEDIA_TYPES,
    definition,
    listDefinition: ({ kind }: ResourceData) =>
      definition({ group, version, kind: listOf(definition({ group, version, kind })) ?? `${kind}List` }),
  };
}
