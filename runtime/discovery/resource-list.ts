/** The document that names the resources of one version: APIResourceList (specification: Discovery). */
import { createHash } from 'node:crypto';
import type { GroupVersionData, ResourceData, SubresourceData, Verb } from '../contract/kind.ts';
import { groupVersionText } from './registry-view.ts';

export interface ApiResource {
  readonly name: string;
  readonly singularName: string;
  readonly namespaced: boolean;
  /** of a subresource whose kind stands in another version than the list */
  readonly group?: string;
  readonly version?: string;
  readonly kind: string;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly storageVersionHash?: string;
}

export interface ApiResourceList {
  readonly kind: 'APIResourceList';
  /** absent in the two groups that are older than it, as in 1.32 */
  readonly apiVersion?: 'v1';
  readonly groupVersion: string;
  /** by name; subresources follow their resource in the order of the schema */
  readonly resources: readonly ApiResource[];
}

/** Lists of these groups have no apiVersion: clients of release 1.1 read them. */
const UNVERSIONED_GROUPS: ReadonlySet<string> = new Set(['', 'extensions']);

/** @param hashesVersions whether it is said how this server's own resources are stored; defined ones always say so, as in 1.32 */
export function apiResourceList(groupVersion: GroupVersionData, hashesVersions = true): ApiResourceList {
  const hashes = hashesVersions || groupVersion.folder === '';
  return {
    kind: 'APIResourceList',
    ...(!UNVERSIONED_GROUPS.has(groupVersion.group) && { apiVersion: 'v1' as const }),
    groupVersion: groupVersionText(groupVersion),
    resources: byName(groupVersion.resources).flatMap((resource) => [
      describeResource(resource, hashes),
      ...resource.subresources.map((subresource) => describeSubresource(groupVersion, resource, subresource)),
    ]),
  };
}

export function byName(resources: readonly ResourceData[]): ResourceData[] {
  return resources.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

interface StoredForm {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/**
 * Tells whether two servers store a resource alike, without telling how: the first 8 bytes of a SHA-256, in base64.
 * Clients may compare it and nothing else.
 */
export function storageVersionHash(stored: StoredForm): string {
  return createHash('sha256').update(`${stored.group}/${stored.version}/${stored.kind}`).digest().subarray(0, 8).toString('base64');
}

const KEEPING_VERBS: ReadonlySet<Verb> = new Set<Verb>(['create', 'patch', 'update']);

/** A resource that is going loses the verbs here that would keep its objects, though it still answers patches and updates. */
export function listedVerbs({ verbs, isTerminating }: ResourceData): readonly Verb[] {
  return isTerminating ? verbs.filter((verb) => !KEEPING_VERBS.has(verb)) : verbs;
}

/** The form that is told is that of etcd, whichever store there is. */
function told({ group, version, kind, jsonInEtcd = version, writtenAs }: NonNullable<ResourceData['storage']>): StoredForm {
  return writtenAs ?? { group, version: jsonInEtcd, kind };
}

function describeResource(resource: ResourceData, hashes: boolean): ApiResource {
  return {
    name: resource.name,
    singularName: resource.singular,
    namespaced: resource.scope === 'Namespaced',
    kind: resource.kind,
    verbs: listedVerbs(resource),
    ...(resource.shortNames.length > 0 && { shortNames: resource.shortNames }),
    ...(resource.categories.length > 0 && { categories: resource.categories }),
    ...(hashes && resource.storage !== undefined && { storageVersionHash: storageVersionHash(told(resource.storage)) }),
  };
}

function describeSubresource(groupVersion: GroupVersionData, resource: ResourceData, subresource: SubresourceData): ApiResource {
  const { group = groupVersion.group, version = groupVersion.version } = subresource;
  const elsewhere = group !== groupVersion.group || version !== groupVersion.version;
  return {
    name: `${resource.name}/${subresource.name}`,
    singularName: '',
    namespaced: resource.scope === 'Namespaced',
    ...(elsewhere && { group, version }),
    kind: subresource.kind,
    verbs: subresource.verbs,
  };
}
