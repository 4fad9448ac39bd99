/** Which requests are passed on to other servers of the store. */
import type { Context } from 'koa';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { PeerServers } from '../../runtime/aggregation/peer-servers.ts';
import { peerProxy } from '../../runtime/chain/peer-proxy.ts';
import { resolveRequestInfo } from '../../runtime/endpoints/request/request-info.ts';
import type { Resource } from '../../runtime/registry/resources/resource.ts';
import { encodeStoredObject } from '../../runtime/registry/stored-objects/stored-object.ts';
import { StatusError } from '../../runtime/status/status.ts';
import type { Entry } from '../../runtime/storage/storage.ts';

const test = suite('requests for other servers of the store');

/** What servers have published of themselves: identities, then the versions that each serves. */
type Published = readonly (readonly [server: string, ...served: readonly string[]])[];

interface Given {
  readonly published?: Published;
  /** whether this server has published all that it serves; true by default */
  readonly isComplete?: boolean;
  /** group versions with a resource that this server serves */
  readonly served?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
}

const SELF = 'local-apiserver';
const OTHER = 'remote-apiserver';
const BARS = '/apis/example.com/v1/bars';

/** A store that has nothing but StorageVersion objects of the resource `bars`. */
function peersOf(published: Published): PeerServers {
  const storageVersions = published.map(([apiServerID, ...servedVersions]) => ({ apiServerID, servedVersions }));
  const object = {
    kind: 'StorageVersion',
    apiVersion: 'internal.apiserver.k8s.io/v1alpha1',
    metadata: {},
    spec: {},
    status: { storageVersions },
  };
  const value = encodeStoredObject(object, 0, []).bytes;
  const keys = ['example.com.bars', 'core.bars'].map((name) => `storageversions/${name}`);
  return new PeerServers({
    storage: { look: (key, read) => (keys.includes(key) ? read({ key, value } as Entry) : undefined) },
    storageVersions: { data: { scope: 'Cluster', name: 'storageversions' } } as Resource,
    self: SELF,
    serviceName: 'kubernetes',
    authorities: '',
    clientCertificate: () => undefined,
  });
}

/** @returns 'here' for a request that goes on; the message of the answer for one that was to be passed on to somebody who cannot be found */
async function answered(path: string, { published = [], isComplete = true, served = [], headers = {} }: Given): Promise<string> {
  const registry = { resource: (group: string, version: string) => (served.includes(`${group}/${version}`) ? {} : undefined) };
  const state = { info: resolveRequestInfo('GET', path), registry, answer: { status: 0 } };
  const counter = () => ({ inc: () => assert.unreachable('nothing was passed on') });
  const proxy = peerProxy(peersOf(published), { isComplete }, { counter } as never);
  let isHere = false;
  try {
    await proxy({ state, req: { headers } } as unknown as Context, async () => {
      isHere = true;
    });
  } catch (error) {
    assert.instance(error, StatusError);
    const { status } = error as StatusError;
    return `${status.code} ${status.message}`;
  }
  assert.ok(isHere);
  return 'here';
}

const LOST = '503 Error getting ip and port info of the remote server while proxying';
const theirs: Given = { published: [[OTHER, 'example.com/v1']] };

const rows: readonly (readonly [name: string, path: string, given: Given, expected: string])[] = [
  ['a path that names no resource', '/foo/bar/baz', theirs, 'here'],
  ['a document of a version', '/apis/example.com/v1', theirs, 'here'],
  ['one that was passed on already', BARS, { ...theirs, headers: { 'x-kubernetes-peer-proxied': 'true' } }, 'here'],
  ['before all is published', BARS, { ...theirs, isComplete: false }, 'here'],
  ['a resource of which nothing is published', '/apis/example.com/v1/others', theirs, 'here'],
  ['a version that nobody serves', '/apis/example.com/v2/bars', theirs, 'here'],
  ['a resource that nobody serves any more', BARS, { published: [] }, 'here'],
  ['a resource that this server serves as well', BARS, { ...theirs, served: ['example.com/v1'] }, 'here'],
  ['a resource of which this server alone has said something', BARS, { published: [[SELF, 'example.com/v1']] }, 'here'],
  ['a resource of another server', BARS, theirs, LOST],
  ['its object and subresources', `${BARS}/a/status`, theirs, LOST],
  ['a version without its group', BARS, { published: [[OTHER, 'v1']] }, LOST],
  ['the core group', '/api/v1/bars', { published: [[OTHER, 'v1']] }, LOST],
  ['another value of the header', BARS, { ...theirs, headers: { 'x-kubernetes-peer-proxied': 'yes' } }, LOST],
];
for (const [name, path, given, expected] of rows) test(name, async () => assert.is(await answered(path, given), expected));

test.run();
