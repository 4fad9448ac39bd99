import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Client } from '../../harness/client.ts';
import { startServer } from '../../harness/server.ts';

const server = await startServer({ dialect: 'cluster' });
const client = new Client(server);
const PATH = '/api/v1/componentstatuses';

const test = suite('component statuses');
test.after(async () => {
  assert.equal(server.faults(), []);
  client.close();
  await server.stop();
});

test('the store is healthy, what cannot be asked is not', async () => {
  const { status, body, headers } = await client.get(PATH);
  assert.equal([status, body.kind, body.metadata], [200, 'ComponentStatusList', {}]);
  assert.equal(
    body.items.map((item: { metadata: object }) => item.metadata),
    ['controller-manager', 'etcd-0', 'scheduler'].map((name) => ({ name, creationTimestamp: null })),
  );
  assert.equal(body.items[1].conditions, [{ type: 'Healthy', status: 'True', message: 'ok' }]);
  for (const index of [0, 2]) {
    const [{ type, message }] = body.items[index].conditions;
    assert.is(type, 'Healthy');
    // some machine may have them
    assert.match(message, /^ok$|^HTTP probe failed|^Get "https:\/\/127\.0\.0\.1:1025[79]\/healthz": /);
  }
  assert.is(headers.warning, '299 - "v1 ComponentStatus is deprecated in v1.19+"');
});
test('one by its name', async () => {
  const { status, body } = await client.get(`${PATH}/etcd-0`);
  assert.equal([status, body.kind, body.metadata.name], [200, 'ComponentStatus', 'etcd-0']);
  const missing = await client.get(`${PATH}/constructor`);
  assert.equal([missing.status, missing.body.message], [404, 'componentstatuses "constructor" not found']);
});

const selected: [query: string, names: string[]][] = [
  ['fieldSelector=metadata.name%3Detcd-0', ['etcd-0']],
  ['fieldSelector=metadata.name!%3Detcd-0', ['controller-manager', 'scheduler']],
  ['labelSelector=a%3Db', []],
  ['labelSelector=!a', ['controller-manager', 'etcd-0', 'scheduler']],
  ['limit=1', ['controller-manager', 'etcd-0', 'scheduler']],
];
for (const [query, names] of selected)
  test(`selected by ${query}`, async () => {
    const { body } = await client.get(`${PATH}?${query}`);
    assert.equal(
      body.items.map((item: { metadata: { name: string } }) => item.metadata.name),
      names,
    );
  });
test('a selector that is none, a field that is unknown, a write, a watch', async () => {
  assert.is((await client.get(`${PATH}?labelSelector=!!`)).status, 400);
  assert.is((await client.get(`${PATH}?fieldSelector=spec.x%3D1`)).status, 400);
  assert.is((await client.post(PATH, {})).status, 405);
  assert.is((await client.get(`${PATH}?watch=1`)).status, 405);
});

const accepts: [accept: string, kind: string][] = [
  [client.name('application/json;as=Table;v=v1;g=meta.${groupDomain}'), 'Table'],
  [client.name('application/json;as=PartialObjectMetadataList;v=v1;g=meta.${groupDomain}'), 'PartialObjectMetadataList'],
];
for (const [accept, kind] of accepts)
  test(`as ${kind}`, async () => {
    const { body } = await client.get(`${PATH}?fieldSelector=metadata.name%3Detcd-0`, { accept });
    assert.is(body.kind, kind);
    if (kind === 'Table') assert.equal(body.rows[0].cells, ['etcd-0', 'Healthy', 'ok', '']);
    else assert.is(body.items[0].metadata.name, 'etcd-0');
  });
test('as protobuf', async () => {
  const { status, headers, text } = await client.get(PATH, { accept: client.name('application/vnd.${mediaProduct}.protobuf') });
  assert.equal([status, headers['content-type']], [200, client.name('application/vnd.${mediaProduct}.protobuf')]);
  assert.ok(text.startsWith('k8s\0') && text.includes('ComponentStatusList') && text.includes('scheduler'));
});
test.run();
