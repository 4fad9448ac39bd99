/** Long objects are read in all forms as short ones are, and nobody waits for that. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import { identity as identityData } from '../../../generated/identity.ts';
import { createIdentity } from '../../../runtime/contract/identity.ts';
import { compileType } from '../../../runtime/schema/codec/codec.ts';
import { decodeProtobuf, unwrapEnvelope } from '../../../runtime/schema/protobuf/codec.ts';
import { Client, type Json } from '../../harness/client.ts';
import { startServer, type TestServer } from '../../harness/server.ts';
import { assertShortTurns, TURN_MONITOR, untilQuiet } from '../../harness/turns.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const NAMES = ['a-short', 'b-long', 'c-short', 'd-long'];
const PROTOBUF = 'application/vnd.kubernetes.protobuf';
const TABLE = 'application/json;as=Table;g=meta.k8s.io;v=v1';
const METADATA = 'as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
const METADATA_LIST = METADATA.replace('Metadata;', 'MetadataList;');

const test = suite('reads of long objects');
const identity = createIdentity(identityData, 'kubernetes');
let server: TestServer;
let client: Client;
test.before(async () => {
  server = await startServer({ dialect: 'kubernetes', preload: TURN_MONITOR });
  client = new Client(server);
  await client.post('/api/v1/namespaces', { metadata: { name: 'warm' } });
  for (const name of NAMES) {
    const keys = name.endsWith('long') ? 5_000 : 3;
    const data = Object.fromEntries(Array.from({ length: keys }, (_, index) => [`key-${index}`, `ä "${index}"\n`]));
    const { status, text } = await client.post(MAPS, { metadata: { name, labels: { size: name.slice(2) } }, data });
    assert.is(status, 201, text.slice(0, 500));
  }
  await createEvents();
  // each form and verb is loaded with the first request that needs it
  for (const accept of ['application/yaml', PROTOBUF, TABLE, `application/json;${METADATA_LIST}`, `${PROTOBUF};${METADATA_LIST}`])
    for (const to of [MAPS, '/api/v1/namespaces/warm/configmaps']) await client.get(to, { accept });
  await client.get('/apis/events.k8s.io/v1/namespaces/default/events/a-short');
  await untilQuiet(server);
});
test.after(async () => {
  client.close();
  await server.stop();
});

/** Events have two versions, neither of which is written as the other. */
async function createEvents(): Promise<void> {
  for (const name of NAMES) {
    const message = name.endsWith('long') ? ',"\\'.repeat(400_000) : 'short';
    const event = { metadata: { name }, involvedObject: { namespace: 'default', name }, message };
    assert.is((await client.post('/api/v1/namespaces/default/events', event)).status, 201);
  }
}

const unheld = <T>(action: () => Promise<T>): Promise<T> => assertShortTurns(server, action);
const withoutType = ({ kind: _kind, apiVersion: _apiVersion, ...rest }: Json): Json => rest;
const stored = async (): Promise<Json[]> =>
  (await client.get(MAPS)).body.items.filter(({ metadata }: Json) => NAMES.includes(metadata.name));
const named = (items: Json[]): Json[] => items.filter(({ metadata }) => NAMES.includes(metadata.name));

async function fromProtobuf(bytes: Buffer): Promise<Json> {
  const { apiVersion, kind, raw } = unwrapEnvelope(bytes);
  const module = await import(
    apiVersion.startsWith('meta') ? '../../../generated/meta/v1/kinds.ts' : '../../../generated/core/v1/kinds.ts'
  );
  return JSON.parse(JSON.stringify(decodeProtobuf(compileType(module.kinds[kind].type, identity), raw)));
}

const single: readonly [accept: string, query: string, read: (bytes: Buffer) => Json | Promise<Json>, of: (stored: Json) => Json][] = [
  ['application/json', '', (bytes) => JSON.parse(bytes.toString()), (object) => object],
  ['application/json', '?pretty=1', (bytes) => JSON.parse(bytes.toString()), (object) => object],
  ['application/yaml', '', (bytes) => parse(bytes.toString()), (object) => object],
  [PROTOBUF, '', fromProtobuf, withoutType],
  [`application/json;${METADATA}`, '', (bytes) => JSON.parse(bytes.toString()).metadata, ({ metadata }) => metadata],
  [
    TABLE,
    '',
    (bytes) => JSON.parse(bytes.toString()).rows[0].cells.slice(0, 2),
    ({ metadata, data }) => [metadata.name, Object.keys(data).length],
  ],
];
for (const [accept, query, read, of] of single)
  test(`one as ${accept}${query}`, async () => {
    const { body } = await client.get(`${MAPS}/b-long`);
    const { status, bytes } = await unheld(() => client.get(`${MAPS}/b-long${query}`, { accept }));
    assert.is(status, 200);
    assert.equal(await read(bytes), of(body));
  });

test('one in another version', async () => {
  const { body } = await unheld(() => client.get('/apis/events.k8s.io/v1/namespaces/default/events/b-long'));
  assert.is(body.note.length, 1_200_000);
});

const lists: readonly (readonly [
  accept: string,
  query: string,
  read: (bytes: Buffer) => Json | Promise<Json>,
  of: (stored: Json) => Json,
])[] = [
  ['application/json', '', (bytes) => named(JSON.parse(bytes.toString()).items), (object) => object],
  ['application/json', 'pretty=1', (bytes) => named(JSON.parse(bytes.toString()).items), (object) => object],
  ['application/json', 'pretty=1&limit=3', (bytes) => named(JSON.parse(bytes.toString()).items), (object) => object],
  ['application/yaml', '', (bytes) => named(parse(bytes.toString()).items), (object) => object],
  ['application/yaml', 'labelSelector=size%3Dlong', (bytes) => named(parse(bytes.toString()).items), (object) => object],
  [PROTOBUF, '', async (bytes) => named((await fromProtobuf(bytes)).items), (object) => object],
  [PROTOBUF, 'labelSelector=size%3Dlong', async (bytes) => named((await fromProtobuf(bytes)).items), (object) => object],
  [PROTOBUF, 'limit=2', async (bytes) => named((await fromProtobuf(bytes)).items), (object) => object],
  [
    `application/json;${METADATA_LIST}`,
    '',
    (bytes) => named(JSON.parse(bytes.toString()).items).map(({ metadata }) => ({ metadata })),
    ({ metadata }) => ({ metadata }),
  ],
  [
    `${PROTOBUF};${METADATA_LIST}`,
    '',
    async (bytes) => named((await fromProtobuf(bytes)).items).map(({ metadata }) => ({ metadata })),
    ({ metadata }) => ({ metadata }),
  ],
  ...['', 'includeObject=Object', 'labelSelector=size%3Dlong', 'limit=3'].map(
    (query) =>
      [
        TABLE,
        query,
        (bytes: Buffer) =>
          JSON.parse(bytes.toString())
            .rows.filter(({ cells }: Json) => NAMES.includes(cells[0]))
            .map(({ cells, object }: Json) => [cells[0], cells[1], object.metadata, query.startsWith('include') ? object.data : undefined]),
        ({ metadata, data }: Json) => [metadata.name, Object.keys(data).length, metadata, query.startsWith('include') ? data : undefined],
      ] as const,
  ),
];
for (const [accept, query, read, of] of lists)
  test(`lists as ${accept} ${query}`, async () => {
    const all = (await stored()).filter(({ metadata }) => !query.startsWith('label') || metadata.labels.size === 'long');
    // twice: what was made is kept
    for (const time of ['first', 'second']) {
      const { status, bytes } = await unheld(() => client.get(`${MAPS}?${query}`, { accept }));
      assert.is(status, 200, time);
      const items = await read(bytes);
      assert.equal(items, all.slice(0, items.length).map(of), time);
      assert.ok(query.includes('limit') || items.length === all.length);
    }
  });

test('lists in another version', async () => {
  const { body } = await unheld(() => client.get('/apis/events.k8s.io/v1/namespaces/default/events'));
  const lengths = body.items.filter(({ metadata }: Json) => NAMES.includes(metadata.name)).map(({ note }: Json) => note.length);
  assert.equal(lengths, [5, 1_200_000, 5, 1_200_000]);
});

const watched: readonly [accept: string, of: (object: Json) => Json, expected: (object: Json) => Json][] = [
  ['application/json', withoutType, (object) => object],
  [TABLE, ({ rows }) => rows[0].cells.slice(0, 2), ({ metadata, data }) => [metadata.name, Object.keys(data).length]],
  [`application/json;${METADATA}`, ({ metadata }) => metadata, ({ metadata }) => metadata],
];
for (const [index, [accept, of, expected]] of watched.entries())
  test(`watches as ${accept}`, async () => {
    await unheld(async () => {
      const watch = await client.watch(`${MAPS}?watch=1&timeoutSeconds=60`, { accept });
      const next = () => watch.until(({ object }) => NAMES.includes(nameIn(object)), 60_000);
      const first: Json[] = [];
      while (first.length < NAMES.length) first.push(of((await next()).object));
      assert.equal(first, (await stored()).map(expected));
      // what comes behind a long one waits for it
      for (const name of NAMES)
        assert.is((await client.patch(`${MAPS}/${name}`, { metadata: { labels: { changed: `${index}` } } })).status, 200);
      const later: Json[] = [];
      while (later.length < NAMES.length) later.push(await next());
      assert.equal(
        later.map(({ type, object }) => [type, nameIn(object)]),
        NAMES.map((name) => ['MODIFIED', name]),
      );
      assert.equal(
        later.map(({ object }) => of(object)),
        (await stored()).map(expected),
      );
      watch.close();
    });
  });

const nameIn = (object: Json): string => (object.kind === 'Table' ? object.rows[0].object : object).metadata.name;

test.run();
