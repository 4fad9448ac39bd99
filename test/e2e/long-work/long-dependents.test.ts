/** Controllers work on long objects as on short ones, and nobody waits for that. */
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Client, type Json } from '../../harness/client.ts';
import { startServer, type TestServer } from '../../harness/server.ts';
import { assertShortTurns, REPEATED, TURN_MONITOR, untilQuiet } from '../../harness/turns.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const data = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`key-${index}`, '']));

const test = suite('controllers and long objects');
let server: TestServer;
let client: Client;
test.before(async () => {
  server = await startServer({ dialect: 'kubernetes', preload: TURN_MONITOR, flags: ['--disable-admission-plugins=ServiceAccount'] });
  client = new Client(server);
  // what deletes is loaded with the first deletion
  await create(MAPS, { metadata: { name: 'first' }, data });
  await client.delete(`${MAPS}/first`);
  await untilQuiet(server);
});
test.after(async () => {
  client.close();
  await server.stop();
});

async function create(to: string, object: object): Promise<Json> {
  const { status, body, text } = await client.post(to, object);
  assert.is(status, 201, text.slice(0, 500));
  return body;
}

const ownerOf = ({ metadata: { name, uid } }: Json, more: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  name,
  uid,
  ...more,
});
/** Repeats what fails, for a minute at most. */
async function eventually(holds: () => Promise<void>): Promise<void> {
  for (const end = Date.now() + 60_000; ; await sleep(50))
    try {
      return await holds();
    } catch (error) {
      if (Date.now() > end) throw error;
    }
}

const gone = (path: string) => eventually(async () => assert.is((await client.get(path)).status, 404));

/** No turn of the server takes long meanwhile. */
const unheld = (action: (attempt: number) => Promise<void>): Promise<void> => assertShortTurns(server, action, REPEATED);

test('dependents go with their owner', () =>
  unheld(async () => {
    const owner = await create(MAPS, { metadata: { name: 'owner' } });
    await create(MAPS, { metadata: { name: 'dependent', ownerReferences: [ownerOf(owner)] }, data });
    assert.is((await client.delete(`${MAPS}/owner`)).status, 200);
    await gone(`${MAPS}/dependent`);
  }));

test('dependents are orphaned', () =>
  unheld(async (attempt) => {
    const name = `orphan-${attempt}`;
    const owner = await create(MAPS, { metadata: { name: 'owner' }, data });
    await create(MAPS, { metadata: { name, ownerReferences: [ownerOf(owner)], finalizers: ['example.com/kept'] }, data });
    assert.is((await client.delete(`${MAPS}/owner`, { propagationPolicy: 'Orphan' })).status, 200);
    await gone(`${MAPS}/owner`);
    const { metadata, data: left } = (await client.get(`${MAPS}/${name}`)).body;
    assert.equal([metadata.ownerReferences, metadata.finalizers, Object.keys(left).length], [undefined, ['example.com/kept'], 20_000]);
  }));

test('an owner waits for its dependents', () =>
  unheld(async () => {
    const owner = await create(MAPS, { metadata: { name: 'foreground' }, data });
    await create(MAPS, { metadata: { name: 'blocking', ownerReferences: [ownerOf(owner, { blockOwnerDeletion: true })] }, data });
    assert.is((await client.delete(`${MAPS}/foreground`, { propagationPolicy: 'Foreground' })).status, 200);
    await gone(`${MAPS}/foreground`);
    assert.is((await client.get(`${MAPS}/blocking`)).status, 404);
  }));

test('references to owners that are not there are removed, however many there are', () =>
  unheld(async (attempt) => {
    const name = `many-${attempt}`;
    const owner = await create(MAPS, { metadata: { name: `present-${attempt}` } });
    const absent = Array.from({ length: 2_000 }, (_, index) => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      name: `none-${index}`,
      uid: `${index}`,
    }));
    await create(MAPS, { metadata: { name, ownerReferences: [ownerOf(owner), ...absent] }, data });
    await eventually(async () => {
      const { metadata } = (await client.get(`${MAPS}/${name}`)).body;
      assert.equal(
        metadata.ownerReferences.map(({ name }: Json) => name),
        [owner.metadata.name],
      );
    });
  }));

test('claims are protected, and let go', () =>
  unheld(async () => {
    const claims = '/api/v1/namespaces/default/persistentvolumeclaims';
    const labels = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`label-${index}`, '']));
    const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
    const claim = await create(claims, { metadata: { name: 'long', labels }, spec });
    assert.equal(claim.metadata.finalizers, ['kubernetes.io/pvc-protection']);
    assert.is((await client.delete(`${claims}/long`)).status, 200);
    await gone(`${claims}/long`);
  }));

test('namespaces are emptied', () =>
  unheld(async () => {
    await create('/api/v1/namespaces', { metadata: { name: 'full' } });
    for (const name of ['a', 'b']) {
      await create('/api/v1/namespaces/full/configmaps', { metadata: { name }, data });
      await create('/api/v1/namespaces/full/configmaps', { metadata: { name: `short-${name}` } });
    }
    assert.is((await client.delete('/api/v1/namespaces/full')).status, 200);
    await gone('/api/v1/namespaces/full');
  }));

test('collections are deleted, with their long objects', () =>
  unheld(async () => {
    for (const name of ['x', 'y']) await create(MAPS, { metadata: { name, labels: { group: 'z' } }, data });
    await create(MAPS, { metadata: { name: 'w', labels: { group: 'z' } } });
    const { status, body } = await client.delete(`${MAPS}?labelSelector=group%3Dz`);
    assert.equal([status, body.items.map(({ metadata }: Json) => metadata.name)], [200, ['w', 'x', 'y']]);
    assert.equal((await client.get(`${MAPS}?labelSelector=group%3Dz`)).body.items, []);
  }));

test.run();
