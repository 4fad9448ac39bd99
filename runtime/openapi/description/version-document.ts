/** The OpenAPI v3 document of a group version, made from the schemas. Texts may contain identity placeholders, which are kept. */
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
  /** the prefix of definition names, such as `io.k8s.api.apps.v1` */
  readonly package: string;
  readonly resources: readonly ResourceData[];
}

/** The API that a document belongs to. */
export interface DescribedApi {
  /** such as `1.32` */
  readonly release: string;
  /** all group versions, whether they are served by default or not */
  readonly groupVersions: readonly DescribedVersion[];
  readonly schemas: SchemaLookup;
  /** returns the name of the list kind for a kind's definition; undefined: `<Kind>List` */
  readonly listOf: (definition: string) => string | undefined;
}

const GROUP_DOMAIN = '${groupDomain}';
const MEDIA_TYPES = ['application/json', 'application/vnd.${mediaProduct}.protobuf', 'application/yaml'];

/**
 * Builds a document with the paths of all resources and every schema that they refer to. `meta/v1` has no resources: its document has the
 * paths outside of group versions.
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

/** Documents of custom kinds refer to these schemas, so they must be in the machinery's document. */
const OF_CUSTOM_KINDS = [
  ...['CreateOptions', 'DeleteOptions', 'ListMeta', 'ListOptions', 'ObjectMeta', 'Patch', 'PatchOptions', 'Status', 'UpdateOptions'].map(
    (kind) => `${META_PACKAGE}.${kind}`,
  ),
  'io.k8s.api.autoscaling.v1.Scale',
];

/** Schemas of a document to which none of its paths refers. */
const namedSchemas = ({ package: name }: DescribedVersion, schemas: SchemaLookup) =>
  name === META_PACKAGE ? OF_CUSTOM_KINDS.filter((each) => schemas(each) !== undefined).map(schemaReference) : [];

function pathsOf(described: DescribedVersion, api: DescribedApi): Record<string, PathItem> {
  if (described.resources.length > 0) {
    const { resources, ...input } = pathsInput(described, api);
    return pathsOfVersion({ ...input, schemas: api.schemas, isCustom: false }, resources);
  }
  if (described.package !== META_PACKAGE) return {};
  const groups = new Set(api.groupVersions.filter(({ resources }) => resources.length > 0).map(({ group }) => group));
  return serverPaths({ groups: [...groups], groupDomain: GROUP_DOMAIN, mediaTypes: MEDIA_TYPES });
}

function pathsInput({ group, version, resources }: DescribedVersion, { groupVersions, listOf }: DescribedApi) {
  const packages = new Map(groupVersions.map((each) => [`${each.group}/${each.version}`, each.package]));
  const definition = ({ group, version, kind }: GroupVersionKind) => `${packages.get(`${group}/${version}`)}.${kind}`;
  // a subresource whose kind belongs to a version without schemas cannot be described
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
