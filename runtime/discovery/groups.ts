/** The documents that name groups and versions: APIVersions, APIGroup, APIGroupList (specification: Discovery). */
import type { GroupVersionData } from '../contract/kind.ts';
import { coreVersions, groupVersionText, namedGroups, type RegistryView } from './registry-view.ts';

/** Of `/api`. Unlike its siblings it has no apiVersion: as 1.32 answers it, and as old clients read it. */
export interface ApiVersions {
  readonly kind: 'APIVersions';
  readonly versions: readonly string[];
  readonly serverAddressByClientCIDRs: readonly { readonly clientCIDR: string; readonly serverAddress: string }[];
}

export interface GroupVersionForDiscovery {
  readonly groupVersion: string;
  readonly version: string;
}

export interface ApiGroup {
  readonly name: string;
  /** in the order of preference */
  readonly versions: readonly GroupVersionForDiscovery[];
  readonly preferredVersion: GroupVersionForDiscovery;
}

export interface ApiGroupList {
  readonly kind: 'APIGroupList';
  readonly apiVersion: 'v1';
  readonly groups: readonly ApiGroup[];
}

/** @param serverAddress host and port that clients reach this server at */
export function apiVersions(view: RegistryView, serverAddress: string): ApiVersions {
  return {
    kind: 'APIVersions',
    versions: coreVersions(view).map(({ version }) => version),
    serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress }],
  };
}

export function apiGroupList(view: RegistryView): ApiGroupList {
  return { kind: 'APIGroupList', apiVersion: 'v1', groups: listed([...namedGroups(view).values()]).map(describeGroup) };
}

type Versions = readonly GroupVersionData[];

/**
 * As 1.32 lists them: groups of one priority by the names of their APIServices, which begin with the version (aggregated discovery has them by their own
 * names). The group of APIServices has none itself, and stands first.
 */
function listed([first, ...others]: readonly Versions[]): Versions[] {
  if (first === undefined) return [];
  const placed = others.map((versions) => ({ versions, ...placeOf(versions) }));
  placed.sort((a, b) => b.priority - a.priority || (a.name < b.name ? -1 : 1));
  return [first, ...placed.map(({ versions }) => versions)];
}

/** The highest priority of its versions, and the first name of an APIService that has it. */
function placeOf(versions: Versions): { readonly priority: number; readonly name: string } {
  const priority = Math.max(...versions.map(({ groupPriority }) => groupPriority));
  const names = versions.flatMap(({ group, version, groupPriority }) => (groupPriority === priority ? [`${version}.${group}`] : []));
  return { priority, name: names.sort()[0] as string };
}

/** @returns undefined for a group that is not served, and for the core group, which has no such document */
export function apiGroup(
  view: RegistryView,
  name: string,
): ({ readonly kind: 'APIGroup'; readonly apiVersion: 'v1' } & ApiGroup) | undefined {
  const versions = namedGroups(view).get(name);
  return versions && { kind: 'APIGroup', apiVersion: 'v1', ...describeGroup(versions) };
}

function describeGroup(groupVersions: Versions): ApiGroup {
  const versions = groupVersions.map((each) => ({ groupVersion: groupVersionText(each), version: each.version }));
  const [preferred] = versions as [GroupVersionForDiscovery];
  return { name: (groupVersions[0] as GroupVersionData).group, versions, preferredVersion: preferred };
}
