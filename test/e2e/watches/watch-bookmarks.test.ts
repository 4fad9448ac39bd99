/** Bookmarks: when they come, and what they are in each form (specification: Watch, bookmarks, streaming lists). */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { unwrapEnvelope } from '../../../runtime/schema/protobuf/codec.ts';
import { Client, type Json } from '../../harness/client.ts';
import { startServer, type TestServer } from '../../harness/server.ts';

const CONFIGMAPS = '/api/v1/namespaces/default/configmaps';
const NOTHING = 'labelSelector=none';
const STATE = `watch=1&allowWatchBookmarks=true&timeoutSeconds=1&${NOTHING}`;
const STREAMING_LIST = `${STATE}&sendInitialEvents=true&resourceVersionMatch=NotOlderThan`;
const as = (kind: string, version = 'v1') => `application/json;as=${kind};g=meta.k8s.io;v=${version}`;

const test = suite('bookmarks');
let server: TestServer;
let client: Client;
let newest: string;
test.before(async () => {
  server = await startServer({ dialect: 'kubernetes', flags: ['--controllers=-*'] });
  client = new Client(server);
  await client.post(CONFIGMAPS, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } });
  newest = (await client.get(CONFIGMAPS)).body.metadata.resourceVersion;
});
test.after(async () => {
  client.close();
  await server.stop();
});

/** What a watch brings first. */
async function firstOf(target: string, accept = 'application/json'): Promise<{ type: string; object: Json }> {
  const watch = await client.watch(target, { accept });
  try {
    return await watch.next();
  } finally {
    watch.close();
  }
}

const isNew = ({ metadata }: Json): boolean => Number(metadata.resourceVersion) >= Number(newest);

const END = 'k8s.io/initial-events-end';
const BLUEPRINT = 'kubernetes.io/initial-events-list-blueprint';

const MARKED: [name: string, target: string, marked: boolean][] = [
  ['a streaming list', `${CONFIGMAPS}?${STREAMING_LIST}`, true],
  ['a watch of no version', `${CONFIGMAPS}?${STATE}`, true],
  ['a watch of the version 0', `${CONFIGMAPS}?${STATE}&resourceVersion=0`, true],
  ['a watch of events', `/api/v1/events?${STATE}`, true],
  ['a watch of the version 00', `${CONFIGMAPS}?${STATE}&resourceVersion=00`, false],
  ['a watch of a version', `${CONFIGMAPS}?${STATE}&resourceVersion=1`, false],
  ['a streaming list without bookmarks', `${CONFIGMAPS}?${STREAMING_LIST.replace('allowWatchBookmarks=true', '')}`, false],
  ['a watch without a state', `${CONFIGMAPS}?${STREAMING_LIST.replace('sendInitialEvents=true', 'sendInitialEvents=false')}`, false],
  ['the older path', `/api/v1/watch/configmaps?allowWatchBookmarks=true&timeoutSeconds=1&${NOTHING}`, false],
];
test('the end of the state is marked where a state is asked for, with bookmarks', async () => {
  const seen = await Promise.all(
    MARKED.map(async ([name, target]) => {
      const events = await Array.fromAsync(await client.watch(target));
      const marks = events.map(({ type, object }) => type === 'BOOKMARK' && object.metadata.annotations[END] === 'true' && isNew(object));
      return [name, target, marks];
    }),
  );
  assert.equal(
    seen,
    MARKED.map(([name, target, marked]) => [name, target, marked ? [true] : []]),
  );
});

const BLUEPRINTS: [name: string, accept: string, list: object][] = [
  ['JSON', 'application/json', { kind: 'ConfigMapList', apiVersion: 'v1', metadata: {}, items: null }],
  ['metadata', as('PartialObjectMetadata'), { kind: 'PartialObjectMetadataList', apiVersion: 'meta.k8s.io/v1', metadata: {}, items: null }],
  [
    'metadata of the older version',
    as('PartialObjectMetadata', 'v1beta1'),
    { kind: 'PartialObjectMetadataList', apiVersion: 'meta.k8s.io/v1beta1', metadata: {}, items: null },
  ],
];
for (const [name, accept, list] of BLUEPRINTS)
  test(`the empty list is in the form of the events: ${name}`, async () => {
    const bookmark = await firstOf(`${CONFIGMAPS}?${STREAMING_LIST}`, accept);
    assert.is(Buffer.from(bookmark.object.metadata.annotations[BLUEPRINT], 'base64').toString(), `${JSON.stringify(list)}\n`);
  });

const PROTOBUF: [name: string, parameters: string, kind: string, apiVersion: string][] = [
  ['protobuf', '', 'ConfigMapList', 'v1'],
  ['metadata as protobuf', ';as=PartialObjectMetadata;g=meta.k8s.io;v=v1', 'PartialObjectMetadataList', 'meta.k8s.io/v1'],
];
for (const [name, parameters, kind, apiVersion] of PROTOBUF)
  test(`the empty list is in the form of the events: ${name}`, async () => {
    const { text } = await client.get(`${CONFIGMAPS}?${STREAMING_LIST}`, { accept: `application/vnd.kubernetes.protobuf${parameters}` });
    const blueprint = /blueprint..([A-Za-z0-9+/=]+)/s.exec(text)?.[1] as string;
    const list = unwrapEnvelope(Buffer.from(blueprint, 'base64'));
    assert.equal([list.kind, list.apiVersion], [kind, apiVersion]);
    assert.ok(list.raw.length > 0, 'its metadata');
  });

const UNNAMED = { resourceVersion: '', creationTimestamp: null };
const OBJECTS: [path: string, object: object][] = [
  ['/api/v1/pods', { kind: 'Pod', apiVersion: 'v1', metadata: UNNAMED, spec: { containers: null }, status: {} }],
  ['/api/v1/services', { kind: 'Service', apiVersion: 'v1', metadata: UNNAMED, spec: {}, status: { loadBalancer: {} } }],
  [
    '/apis/autoscaling/v1/horizontalpodautoscalers',
    {
      kind: 'HorizontalPodAutoscaler',
      apiVersion: 'autoscaling/v1',
      metadata: UNNAMED,
      spec: { scaleTargetRef: { kind: '', name: '' }, maxReplicas: 0 },
      status: { currentReplicas: 0, desiredReplicas: 0 },
    },
  ],
];
for (const [path, object] of OBJECTS)
  test(`an object of ${path} without defaults`, async () => {
    const bookmark = await firstOf(`${path}?${STREAMING_LIST}`);
    const { annotations, ...metadata } = bookmark.object.metadata;
    assert.equal({ ...bookmark.object, metadata: { ...metadata, resourceVersion: '' } }, object);
    assert.is(annotations[END], 'true');
  });

test('a row of a Table, with the columns where it is the first', async () => {
  const target = `/api/v1/pods?watch=1&allowWatchBookmarks=true&timeoutSeconds=3&${NOTHING}&resourceVersion=${newest}`;
  const { type, object } = await firstOf(target, as('Table'));
  const { columnDefinitions, metadata, rows } = object;
  assert.equal([type, isNew(object), columnDefinitions[0].name, rows.length], ['BOOKMARK', true, 'Name', 1]);
  assert.equal(rows[0].cells.slice(0, 2), ['', '0/0']);
  assert.equal(rows[0].object.metadata, { ...metadata, creationTimestamp: null });
});
test.run();
