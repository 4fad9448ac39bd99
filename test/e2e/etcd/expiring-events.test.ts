/** Events go by leases of etcd, which they share as in 1.32, whether or not a server runs by then. */
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startEtcd } from '../../harness/etcd.ts';
import { answered, CONFIGMAPS, configMap, eventually, keysBelow, type ServerOver, startOver, stopAll, valueAt } from './over-etcd.ts';

const EVENTS = '/api/v1/namespaces/default/events';
const KEYS = '/registry/events/default/';

const test = suite('events in etcd');
const etcd = await startEtcd();
const store = etcd.client();
let over: ServerOver | undefined;
test.after(async () => {
  store.close();
  await stopAll(etcd, over);
});

const event = (name: string): object => ({
  metadata: { name },
  involvedObject: { kind: 'Pod', namespace: 'default', name: 'a' },
  reason: 'Tested',
});

async function leaseOf(key: string): Promise<bigint> {
  const { kvs } = await store.range({ key });
  return (kvs[0] as (typeof kvs)[0]).lease;
}

/** @param flags of a server that runs alone */
async function restarted(...flags: readonly string[]): Promise<ServerOver> {
  over?.client.close();
  await over?.server.stop();
  over = await startOver(etcd, flags);
  return over;
}

test('they share a lease, and nothing else has one', async () => {
  const { client } = await restarted();
  for (const name of ['a', 'b']) await answered(201, client.post(EVENTS, event(name)));
  await answered(201, client.post(CONFIGMAPS, configMap('a')));
  const lease = await leaseOf(`${KEYS}a`);
  assert.not.equal(lease, 0n);
  assert.is(await leaseOf(`${KEYS}b`), lease);
  assert.is(await leaseOf('/registry/configmaps/default/a'), 0n);
  await answered(200, client.patch(`${EVENTS}/a`, { count: 2 }));
  assert.is(await leaseOf(`${KEYS}a`), lease);
});

test('a lease that was revoked takes its events along, and the next ones get another one', async () => {
  const { client } = over as ServerOver;
  const lease = await leaseOf(`${KEYS}a`);
  const watch = await client.watch(`${EVENTS}?watch=1&resourceVersion=0`);
  await watch.next();
  await watch.next();
  await store.revokeLease(lease);
  const gone = [await watch.next(), await watch.next()];
  assert.equal(gone.map(({ type, object }) => `${type} ${object.metadata.name}`).toSorted(), ['DELETED a', 'DELETED b']);
  watch.close();
  await answered(201, client.post(EVENTS, event('c')));
  assert.not.equal(await leaseOf(`${KEYS}c`), lease);
});

test('they go after the time of the flag, though nobody writes', async () => {
  const { client } = await restarted('--event-ttl=2s');
  const watch = await client.watch(`${EVENTS}?watch=1&fieldSelector=metadata.name=d`);
  await answered(201, client.post(EVENTS, event('d')));
  assert.is((await watch.next()).type, 'ADDED');
  const last = await watch.next();
  assert.equal([last.type, last.object.reason], ['DELETED', 'Tested']);
  watch.close();
  assert.is(await valueAt(store, `${KEYS}d`), undefined);
});

test('they go without a server', async () => {
  const { client, server } = over as ServerOver;
  await answered(201, client.post(EVENTS, event('e')));
  await server.kill();
  await eventually(
    () => keysBelow(store, `${KEYS}e`),
    (keys) => keys.length === 0,
  );
});

test('for ever is without a lease', async () => {
  const { client } = await restarted('--event-ttl=0');
  await answered(201, client.post(EVENTS, event('f')));
  assert.is(await leaseOf(`${KEYS}f`), 0n);
});

test('each has its own where none is shared, and as soon as the time for that is over', async () => {
  const alone = await restarted('--lease-reuse-duration-seconds=0');
  for (const name of ['g', 'h']) await answered(201, alone.client.post(EVENTS, event(name)));
  assert.not.equal(await leaseOf(`${KEYS}g`), await leaseOf(`${KEYS}h`));
  const shortly = await restarted('--lease-reuse-duration-seconds=1');
  await answered(201, shortly.client.post(EVENTS, event('i')));
  await sleep(1_100);
  await answered(201, shortly.client.post(EVENTS, event('j')));
  assert.not.equal(await leaseOf(`${KEYS}i`), await leaseOf(`${KEYS}j`));
});

test.run();
