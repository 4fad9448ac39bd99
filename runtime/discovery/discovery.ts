/**
 * What the server says of its groups, versions and resources. Each document is made when it is first asked for and kept until the set of
 * group versions changes; all are plain objects that nobody may change, so that the caller can encode them as it was asked to.
 */
import { type AggregatedDocument, type AggregatedVersion, aggregatedDocument, type DiscoveryRoot } from './aggregated.ts';
import { type ApiVersions, apiGroup, apiGroupList, apiVersions } from './groups.ts';
import { groupVersionText, type MaybePromise, namedGroups, type RegistryView } from './registry-view.ts';
import { RemoteAggregated, remotesBelow } from './remote-aggregated.ts';
import { apiResourceList } from './resource-list.ts';

export interface Discovery {
  /** Of `/api`. @param serverAddress host and port that clients reach this server at */
  apiVersions(serverAddress: string): ApiVersions;
  /** Of `/apis`. */
  groupList(): object;
  /** Of `/apis/{group}`; undefined for a group that is not served. */
  group(name: string): object | undefined;
  /** Of `/api/{version}` and `/apis/{group}/{version}`; undefined for a version that is not served. */
  resourceList(group: string, version: string): object | undefined;
  /** A promise, which never rejects, where other servers are asked what they have, or where there is much. */
  aggregated(root: DiscoveryRoot, version: AggregatedVersion): MaybePromise<AggregatedDocument>;
  /** Paths of all groups and versions, such as `/apis/apps/v1` and `/apis/apps`. */
  paths(): readonly string[];
  /** The JSON bytes of a document that one of the functions above returned, encoded once; ends with a line feed. */
  encoded(document: object): Buffer;
  /** To be called whenever the view's group versions have changed. */
  invalidate(): void;
}

/** Versions of which a document takes some milliseconds. */
const MADE_AT_ONCE = 1_000;

export function createDiscovery(view: RegistryView): Discovery {
  const documents = new Map<string, unknown>();
  const encodings = new WeakMap<object, Buffer>();
  let remoteAggregated: RemoteAggregated | undefined;
  const kept = <T>(key: string, make: () => T): T => {
    if (!documents.has(key)) documents.set(key, make());
    return documents.get(key) as T;
  };
  const isGroup = (name: string) => view.groupVersions.some(({ group }) => group === name);
  const versionOf = (group: string, version: string) => view.groupVersions.find((each) => each.group === group && each.version === version);
  return {
    apiVersions(serverAddress) {
      const found = kept('/api', () => apiVersions(view, serverAddress));
      if (found.serverAddressByClientCIDRs[0]?.serverAddress !== serverAddress) documents.delete('/api');
      return kept('/api', () => apiVersions(view, serverAddress));
    },
    groupList: () => kept('/apis', () => apiGroupList(view)),
    // Names that are not served are not kept: clients can make up any number of them.
    group: (name) => (isGroup(name) ? kept(`/apis/${name}`, () => apiGroup(view, name)) : undefined),
    resourceList(group, version) {
      const groupVersion = versionOf(group, version);
      return (
        groupVersion &&
        kept(`resources of ${groupVersionText(groupVersion)}`, () =>
          apiResourceList(groupVersion, view.featureEnabled?.('StorageVersionHash')),
        )
      );
    },
    aggregated(root, version) {
      const remotes = remotesBelow(view, root);
      if (remotes.length === 0 && view.groupVersions.length <= MADE_AT_ONCE)
        return kept(`${version} of ${root}`, () => aggregatedDocument(view, root, version));
      remoteAggregated ??= new RemoteAggregated(view);
      return remoteAggregated.document(root, version, remotes);
    },
    paths: () =>
      kept('paths', () => {
        const versions = view.groupVersions.map((each) => (each.group === '' ? `/api/${each.version}` : `/apis/${groupVersionText(each)}`));
        return [...versions, ...[...namedGroups(view).keys()].map((group) => `/apis/${group}`)];
      }),
    encoded(document) {
      let bytes = encodings.get(document);
      if (bytes === undefined) {
        bytes = Buffer.from(`${JSON.stringify(document)}\n`);
        encodings.set(document, bytes);
      }
      return bytes;
    },
    invalidate() {
      documents.clear();
      remoteAggregated = undefined;
    },
  };
}
