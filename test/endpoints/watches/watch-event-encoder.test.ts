import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Dialect } from '../../../runtime/contract/identity.ts';
import type { ApiObject } from '../../../runtime/contract/object.ts';
import type { EventType, Frame } from '../../../runtime/endpoints/answers/watch-frame.ts';
import type { Query } from '../../../runtime/endpoints/request/request-info.ts';
import type { ResourceRequest } from '../../../runtime/endpoints/resource-request.ts';
import { type Framed, WatchEventEncoder } from '../../../runtime/endpoints/watches/watch-event-encoder.ts';
import { Negotiator } from '../../../runtime/negotiation/negotiation.ts';
import type { Kind } from '../../../runtime/registry/kinds/kind.ts';
import { encodeStoredObject, StoredObject } from '../../../runtime/registry/stored-objects/stored-object.ts';
import type { WatchEvent } from '../../../runtime/registry/watch/watch-subscription.ts';
import { fillRevision } from '../../../runtime/storage/storage.ts';
import { TestCluster } from '../../controllers/server.ts';
import { identity } from '../../kinds/context.ts';

const test = suite('frames of watch events');

let cluster: TestCluster;
let request: ResourceRequest;
let hub: Kind;
test.before(async () => {
  cluster = await TestCluster.create();
  const { server } = cluster;
  const resource = cluster.resource('v1', 'secrets');
  const store = await server.store(resource);
  hub = store.hub;
  const negotiated = new Negotiator(identity).negotiate(undefined, true);
  const info = { query: { get: () => undefined } as unknown as Query };
  request = { server, resource, store, kind: hub, negotiated, info } as unknown as ResourceRequest;
});
test.after(() => cluster.remove());

/** A secret as a server stored it whose schema had no default for the type. */
function stored(name: string, revision: number, schemaHash: number): StoredObject {
  const { bytes, revisionOffset } = encodeStoredObject({ kind: 'Secret', apiVersion: 'v1', metadata: { name } }, schemaHash, ['']);
  fillRevision(bytes, revisionOffset, revision);
  return new StoredObject(bytes);
}

const frameOf = (type: EventType, event: WatchEvent<Framed>): string =>
  (WatchEventEncoder.of(request).frame(type, event) as Frame).bytes.toString();

const OLD = 1;
const older = (revision: number): StoredObject => stored('a', revision, OLD);
const present = (revision: number): StoredObject => stored('a', revision, hub.data.schemaHash);

const rows: [name: string, type: EventType, operation: WatchEvent['operation'], now: () => StoredObject, type: string | undefined][] = [
  ['of the present schema: as it is stored', 'ADDED', 'create', () => present(7), undefined],
  ['of an older schema: with the defaults of the present one', 'ADDED', 'create', () => older(7), 'Opaque'],
  ['of an older schema, changed', 'MODIFIED', 'update', () => older(7), 'Opaque'],
  ['of an older schema, gone', 'DELETED', 'delete', () => older(7), 'Opaque'],
  ['of the present schema, gone: as it is stored', 'DELETED', 'delete', () => present(7), undefined],
];
for (const [name, type, operation, now, secretType] of rows)
  test(`an object ${name}`, () => {
    const event: WatchEvent<Framed> = {
      operation,
      revision: 7,
      namespace: '',
      name: 'a',
      stored: now(),
      previous: operation === 'create' ? undefined : older(5),
      frames: new Map(),
    };
    const sent = JSON.parse(frameOf(type, event));
    assert.is(sent.type, type);
    assert.is(sent.object.metadata.resourceVersion, '7');
    assert.is(sent.object.type, secretType);
  });

test('an object that left the selection is told as it was before, at the revision of the change', () => {
  const event: WatchEvent<Framed> = {
    operation: 'update',
    revision: 7,
    namespace: '',
    name: 'b',
    stored: stored('b', 7, hub.data.schemaHash),
    previous: older(5),
    frames: new Map(),
  };
  const { object } = JSON.parse(frameOf('DELETED', event));
  assert.equal([object.metadata.name, object.metadata.resourceVersion, object.type], ['a', '7', 'Opaque']);
});

const bookmarks: [dialect: Dialect, accept: string | undefined, ordinary: object, unmarked: object][] = [
  [
    'cluster',
    undefined,
    { kind: 'Pod', apiVersion: 'v1', metadata: { resourceVersion: '7' } },
    { kind: 'Pod', apiVersion: 'v1', metadata: { resourceVersion: '8' } },
  ],
  [
    'cluster',
    'application/json;as=PartialObjectMetadata;g=meta.cluster.io;v=v1',
    { kind: 'PartialObjectMetadata', apiVersion: 'meta.cluster.io/v1', metadata: { resourceVersion: '7' } },
    { kind: 'PartialObjectMetadata', apiVersion: 'meta.cluster.io/v1', metadata: { resourceVersion: '8' } },
  ],
  [
    'kubernetes',
    undefined,
    { kind: 'Pod', apiVersion: 'v1', metadata: { resourceVersion: '7', creationTimestamp: null }, spec: { containers: null }, status: {} },
    { kind: 'Pod', apiVersion: 'v1', metadata: { resourceVersion: '8', creationTimestamp: null }, spec: { containers: null }, status: {} },
  ],
];
for (const [dialect, accept, ordinary, unmarked] of bookmarks)
  test(`bookmarks of the dialect ${dialect}${accept === undefined ? '' : ` as ${accept}`}`, async () => {
    const other = await TestCluster.create({ dialect });
    try {
      const { server } = other;
      const resource = other.resource('v1', 'pods');
      const store = await server.store(resource);
      const negotiated = new Negotiator(server.identity).negotiate(accept, true);
      const of = { ...request, server, resource, store, kind: store.hub, negotiated } as unknown as ResourceRequest;
      const encoder = WatchEventEncoder.of(of);
      const objectOf = (frame: Framed): unknown => JSON.parse((frame as Frame).bytes.toString()).object;
      assert.equal(objectOf(encoder.bookmark(7)), ordinary);
      assert.equal(objectOf(encoder.endOfState(8, undefined)), unmarked);
      const marked = objectOf(encoder.endOfState(9, 'e30=')) as ApiObject;
      const domains = dialect === 'cluster' ? ['cluster.io', 'cluster.io'] : ['k8s.io', 'kubernetes.io'];
      assert.equal(marked.metadata.annotations, {
        [`${domains[0]}/initial-events-end`]: 'true',
        [`${domains[1]}/initial-events-list-blueprint`]: 'e30=',
      });
      assert.is(marked.metadata.creationTimestamp, null);
    } finally {
      await other.remove();
    }
  });

test.run();
