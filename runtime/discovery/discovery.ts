/**
 * What the server says of its groups, versions and resources. Each document is made when it is first asked for and kept until the set of
 * group versions changes; all are plain objects that nobody may change, so that the caller can encode them as it was asked to.
 */
import {
  AGGREGATED_KIND,
  type AggregatedVersion,
  type ApiGroupDiscoveryList,
  aggregatedDiscovery,
  type DiscoveryRoot,
} from './aggregated.ts';
import { documentHash, entityTag } from './entity-tag.ts';
import { type ApiVersions, apiGroup, apiGroupList, apiVersions } from './groups.ts';
import { groupVersionText, type RegistryView } from './registry-view.ts';
import { apiResourceList } from './resource-list.ts';

export interface AggregatedDocument {
  /** JSON */
  readonly body: Buffer;
  /** quoted, as the header ETag has it */
  readonly etag: string;
  readonly contentType: string;
  /** for encodings other than JSON */
  readonly object: ApiGroupDiscoveryList;
}

export interface Discovery {
  /** Of `/api`. @param serverAddress host and port that clients reach this server at */
  apiVersions(serverAddress: string): ApiVersions;
  /** Of `/apis`. */
  groupList(): object;
  /** Of `/apis/{group}`; undefined for a group that is not served. */
  group(name: string): object | undefined;
  /** Of `/api/{version}` and `/apis/{group}/{version}`; undefined for a version that is not served. */
  resourceList(group: string, version: string): object | undefined;
  aggregated(root: DiscoveryRoot, version: AggregatedVersion): AggregatedDocument;
  /** The JSON bytes of a document that one of the functions above returned, encoded once; ends with a line feed. */
  encoded(document: object): Buffer;
  /** To be called whenever the view's group versions have changed. */
  invalidate(): void;
}

export function createDiscovery(view: RegistryView): Discovery {
  const documents = new Map<string, unknown>();
  const encodings = new WeakMap<object, Buffer>();
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
      return groupVersion && kept(`resources of ${groupVersionText(groupVersion)}`, () => apiResourceList(groupVersion));
    },
    aggregated: (root, version) => kept(`${version} of ${root}`, () => aggregatedDocument(view, root, version)),
    encoded(document) {
      let bytes = encodings.get(document);
      if (bytes === undefined) {
        bytes = Buffer.from(`${JSON.stringify(document)}\n`);
        encodings.set(document, bytes);
      }
      return bytes;
    },
    invalidate: () => documents.clear(),
  };
}

function aggregatedDocument(view: RegistryView, root: DiscoveryRoot, version: AggregatedVersion): AggregatedDocument {
  const object = aggregatedDiscovery(view, root, version);
  const body = Buffer.from(`${JSON.stringify(object)}\n`);
  const contentType = view.identity.text(`application/json;g=apidiscovery.\${groupDomain};v=${version};as=${AGGREGATED_KIND}`);
  return { body, etag: entityTag(documentHash(body)), contentType, object };
}
