/** The service by which pods reach the API leads to all servers of one etcd that live, and to no other. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Json } from '../../harness/client.ts';
import { startEtcd } from '../../harness/etcd.ts';
import { answered, eventually, keysBelow, type ServerOver, startOver, stopAll, valueAt } from './over-etcd.ts';

const test = suite('live servers of one etcd');

const etcd = await startEtcd();
const servers: ServerOver[] = [];
test.after(() => stopAll(etcd, ...servers));

const ENDPOINTS = '/api/v1/namespaces/default/endpoints/kubernetes';
const SLICE = '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes';
/** Milliseconds until a server that was killed is missed: its lease, which etcd may end a little late, and a round of another server. */
const MISSED = 60_000;

const start = async (address: string): Promise<ServerOver> => {
  const server = await startOver(etcd, [`--advertise-address=${address}`]);
  servers.push(server);
  return server;
};

async function leadsTo({ client }: ServerOver): Promise<string[][]> {
  const [endpoints, slice] = await Promise.all([client.get(ENDPOINTS), client.get(SLICE)]);
  return [
    (endpoints.body.subsets ?? []).flatMap(({ addresses }: Json) => addresses.map(({ ip }: Json) => ip)),
    (slice.body.endpoints ?? []).map(({ addresses }: Json) => addresses[0]),
  ];
}

const leading = (server: ServerOver, addresses: readonly string[]): Promise<unknown> =>
  eventually(
    () => leadsTo(server),
    (found) => found.every((each) => JSON.stringify(each) === JSON.stringify(addresses)),
    MISSED,
  );

test('each server that comes is added', async () => {
  const one = await start('192.0.2.1');
  await leading(one, ['192.0.2.1']);
  await start('192.0.2.2');
  await start('192.0.2.3');
  await leading(one, ['192.0.2.1', '192.0.2.2', '192.0.2.3']);
});

test('etcd has them as kube-apiserver reads them', async () => {
  const client = etcd.client();
  try {
    assert.equal(
      await keysBelow(client, '/registry/masterleases/'),
      ['1', '2', '3'].map((last) => `/registry/masterleases/192.0.2.${last}`),
    );
    const { value } = (await valueAt(client, '/registry/masterleases/192.0.2.1')) as { readonly value: Buffer };
    assert.is(value.subarray(0, 4).toString('latin1'), 'k8s\0');
    assert.ok(value.includes('192.0.2.1') && value.includes('Endpoints'));
  } finally {
    client.close();
  }
});

test('one that ends is taken out by itself, one that is killed by the others', async () => {
  const [one, two, three] = servers as [ServerOver, ServerOver, ServerOver];
  await two.server.stop();
  assert.equal(await leadsTo(one), [
    ['192.0.2.1', '192.0.2.3'],
    ['192.0.2.1', '192.0.2.3'],
  ]);
  await three.server.kill();
  await leading(one, ['192.0.2.1']);
  await answered(200, one.client.get(ENDPOINTS));
});

test.run();
