/** Objects that are too large for etcd with their managedFields are stored without them, as 1.32 does, unless they are applied. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startEtcd } from '../../harness/etcd.ts';
import { answered, CONFIGMAPS, startOver, stopAll } from './over-etcd.ts';

const test = suite('managedFields that etcd has no room for');
const etcd = await startEtcd();
const over = await startOver(etcd);
const { client } = over;
test.after(() => stopAll(etcd, over));

/** Of 1.25 MB, and 60 bytes more for each finalizer; who set it owns each of them. */
const large = (name: string, finalizers: number): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: {
    name,
    annotations: { a: 'y'.repeat(250_000) },
    finalizers: Array.from({ length: finalizers }, (_, i) => `example.com/${'z'.repeat(45)}-${i}`),
  },
  data: { a: 'x'.repeat(500_000), b: 'x'.repeat(500_000) },
});
const FITTING = 3_000;

async function assertUnowned(name: string): Promise<void> {
  const { metadata } = await answered(200, client.get(`${CONFIGMAPS}/${name}`));
  assert.is(metadata.managedFields, undefined);
  assert.is(metadata.finalizers.length, FITTING);
}

test('are left out of what is created', async () => {
  const { metadata } = await answered(201, client.post(CONFIGMAPS, large('created', FITTING)));
  assert.is(metadata.managedFields, undefined);
  assert.is(metadata.resourceVersion, (await answered(200, client.get(`${CONFIGMAPS}/created`))).metadata.resourceVersion);
  await assertUnowned('created');
});

test('are left out of what gets a name', async () => {
  const object = large('', FITTING) as { metadata: object };
  const { metadata } = await answered(
    201,
    client.post(CONFIGMAPS, { ...object, metadata: { ...object.metadata, name: undefined, generateName: 'x-' } }),
  );
  await assertUnowned(metadata.name);
});

test('are left out of what is updated and patched, where they are among what is stored as well', async () => {
  for (const [name, write] of [
    ['updated', (body: object) => client.put(`${CONFIGMAPS}/updated`, body)],
    ['patched', (body: object) => client.patch(`${CONFIGMAPS}/patched`, body)],
  ] as const) {
    const { metadata } = await answered(201, client.post(CONFIGMAPS, large(name, 10)));
    assert.is(metadata.managedFields.length, 1);
    await answered(200, write(large(name, FITTING)));
    await assertUnowned(name);
    // nobody has owned anything since, so all of it is owned by who writes next
    await answered(200, client.patch(`${CONFIGMAPS}/${name}`, { data: { a: 'b' } }));
  }
});

test('do not keep an object from being deleted', async () => {
  await answered(200, client.delete(`${CONFIGMAPS}/created`));
  const { metadata } = await answered(200, client.get(`${CONFIGMAPS}/created`));
  assert.type(metadata.deletionTimestamp, 'string');
});

test('are not left out of what is applied', async () => {
  const headers = { 'content-type': 'application/apply-patch+yaml' };
  const apply = (finalizers: number) =>
    client.request('PATCH', `${CONFIGMAPS}/applied?fieldManager=tester`, { headers, body: large('applied', finalizers) });
  const { message } = await answered(413, apply(FITTING));
  assert.match(message, /request is too large|message larger than max/);
  await answered(201, apply(10));
  await answered(413, apply(FITTING));
  assert.is((await answered(200, client.get(`${CONFIGMAPS}/applied`))).metadata.finalizers.length, 10);
});

test('do not help what is too large without them', async () => {
  const { message, reason } = await answered(413, client.post(CONFIGMAPS, large('larger', 6_500)));
  assert.is(reason, 'RequestEntityTooLarge');
  assert.match(message, /etcdserver: request is too large/);
  await answered(404, client.get(`${CONFIGMAPS}/larger`));
  assert.equal(over.server.faults(), []);
});

test.run();
