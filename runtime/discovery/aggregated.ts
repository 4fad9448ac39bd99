/** Aggregated discovery: all groups, versions and resources below one root in one document (specification: Discovery). */
import type { BodyPieces } from '../connections/body-pieces.ts';
import type { GroupVersionData, ResourceData, SubresourceData } from '../contract/kind.ts';
import type { ApiResourceDiscovery, ResponseKind } from './described-resource.ts';
import { documentHash, entityTag } from './entity-tag.ts';
import { coreVersions, namedGroups, type RegistryView } from './registry-view.ts';
import { byName, listedVerbs } from './resource-list.ts';

/** The two forms differ in their version alone. */
export type AggregatedVersion = 'v2' | 'v2beta1';
export const AGGREGATED_KIND = 'APIGroupDiscoveryList';

/** Path below which groups stand: the core group, or all others. */
export type DiscoveryRoot = 'api' | 'apis';

export interface ApiGroupDiscovery {
  readonly metadata: { readonly name?: string; readonly creationTimestamp: null };
  readonly versions: readonly {
    readonly version: string;
    /** absent where there are none */
    readonly resources?: readonly ApiResourceDiscovery[];
    /** `Stale` is said only of versions that another server answers and of which it does not say now what they have */
    readonly freshness: 'Current' | 'Stale';
  }[];
}

export interface ApiGroupDiscoveryList {
  readonly kind: typeof AGGREGATED_KIND;
  readonly apiVersion: string;
  readonly metadata: Record<string, never>;
  readonly items: readonly ApiGroupDiscovery[];
}

export interface AggregatedDocument {
  /** JSON; in pieces where it is long */
  readonly body: Buffer | BodyPieces;
  /** quoted, as the header ETag has it */
  readonly etag: string;
  readonly contentType: string;
  /** for encodings other than JSON; absent: it is to be read from the body */
  readonly object?: ApiGroupDiscoveryList;
}

/** Of a root all of whose versions this server answers. */
export function aggregatedDocument(view: RegistryView, root: DiscoveryRoot, version: AggregatedVersion): AggregatedDocument {
  const object = aggregatedDiscovery(view, root, version);
  const body = Buffer.from(`${JSON.stringify(object)}\n`);
  return { body, etag: entityTag(documentHash(body)), contentType: aggregatedContentType(view, version), object };
}

function aggregatedDiscovery(view: RegistryView, root: DiscoveryRoot, version: AggregatedVersion): ApiGroupDiscoveryList {
  const groups = groupsBelow(view, root).filter((versions) => versions.length > 0);
  return {
    ...listMembers(view, version),
    items: groups.map((versions) => ({ metadata: groupMetadata(versions), versions: versions.map(describeVersion) })),
  };
}

export const aggregatedContentType = ({ identity }: RegistryView, version: AggregatedVersion): string =>
  identity.text(`application/json;g=apidiscovery.\${groupDomain};v=${version};as=${AGGREGATED_KIND}`);

/** What stands before its groups. */
export function listMembers({ identity }: RegistryView, version: AggregatedVersion): Omit<ApiGroupDiscoveryList, 'items'> {
  return { kind: AGGREGATED_KIND, apiVersion: `${identity.text('apidiscovery.${groupDomain}')}/${version}`, metadata: {} };
}

/** Groups of one root with their versions, in the order of discovery. */
export function groupsBelow(view: RegistryView, root: DiscoveryRoot): readonly GroupVersionData[][] {
  return root === 'api' ? [coreVersions(view)] : [...namedGroups(view).values()];
}

export function groupMetadata(versions: readonly GroupVersionData[]): ApiGroupDiscovery['metadata'] {
  const name = versions[0]?.group ?? '';
  return { ...(name !== '' && { name }), creationTimestamp: null };
}

/** Of a version that this server answers. */
export function describeVersion(groupVersion: GroupVersionData): ApiGroupDiscovery['versions'][number] {
  const resources = byName(groupVersion.resources).map((resource) => describeResource(groupVersion, resource));
  return { version: groupVersion.version, ...(resources.length > 0 && { resources }), freshness: 'Current' };
}

function describeResource(groupVersion: GroupVersionData, resource: ResourceData): ApiResourceDiscovery {
  return {
    resource: resource.name,
    responseKind: responseKind(groupVersion, resource),
    scope: resource.scope,
    singularResource: resource.singular,
    verbs: listedVerbs(resource),
    ...(resource.shortNames.length > 0 && { shortNames: resource.shortNames }),
    ...(resource.categories.length > 0 && { categories: resource.categories }),
    ...(resource.subresources.length > 0 && {
      subresources: resource.subresources.map((subresource) => ({
        subresource: subresource.name,
        responseKind: responseKind(groupVersion, subresource),
        verbs: subresource.verbs,
      })),
    }),
  };
}

/** Built-in resources leave group and version empty where they are those of the document, custom resources state them: so does 1.32. */
function responseKind(groupVersion: GroupVersionData, holder: Pick<SubresourceData, 'kind' | 'group' | 'version'>): ResponseKind {
  const { group = groupVersion.group, version = groupVersion.version, kind } = holder;
  const isCustom = groupVersion.folder === '' || groupVersion.structural === true;
  const implied = !isCustom && group === groupVersion.group && version === groupVersion.version;
  return implied ? { group: '', version: '', kind } : { group, version, kind };
}
