import type { Identity } from '../contract/identity.ts';
import type { GroupVersionData } from '../contract/kind.ts';

/** The part of the registry that describes the API. Names of the dialect are resolved in it. */
export interface RegistryView {
  /**
   * Served ones, in the order of discovery: groups by priority, versions of a group by priority. One made from custom resource
   * definitions has the folder "".
   */
  readonly groupVersions: readonly GroupVersionData[];
  readonly identity: Identity;
  /** which gates of what is said of the API are open; absent: all are */
  readonly featureEnabled?: (gate: string) => boolean;
  /** What tells of a version that another server answers; undefined for one of this server. Absent: there are only such. */
  readonly remote?: (groupVersion: GroupVersionData) => RemoteVersionView | undefined;
}

/** A version that another server answers: its `resources` are empty. */
export interface RemoteVersionView {
  /** what it has, the same object until that changes; undefined: its server does not say now. The promise never rejects. */
  readonly resources: () => MaybePromise<ResourcesText | undefined>;
}

/** JSON of a list of `ApiResourceDiscovery`: as bytes, for it may be long, and whoever passes it on need not read it. */
export type ResourcesText = Uint8Array;

export type MaybePromise<T> = T | Promise<T>;

/** `group/version`, or `version` alone in the core group. */
export function groupVersionText({ group, version }: { readonly group: string; readonly version: string }): string {
  return group === '' ? version : `${group}/${version}`;
}

/** Versions of each group but the core group, in the order of discovery. */
export function namedGroups(view: RegistryView): Map<string, GroupVersionData[]> {
  const groups = new Map<string, GroupVersionData[]>();
  for (const groupVersion of view.groupVersions) {
    if (groupVersion.group === '') continue;
    const versions = groups.get(groupVersion.group);
    if (versions === undefined) groups.set(groupVersion.group, [groupVersion]);
    else versions.push(groupVersion);
  }
  return groups;
}

export function coreVersions(view: RegistryView): GroupVersionData[] {
  return view.groupVersions.filter((groupVersion) => groupVersion.group === '');
}
