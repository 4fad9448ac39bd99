/** Of two servers of one etcd one elects holders of leases among candidates, and the other one when that ends. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startEtcd } from '../../harness/etcd.ts';
import { answered, eventually, type ServerOver, startOver, stopAll } from './over-etcd.ts';

const test = suite('elections among candidates, by one of several servers');

const etcd = await startEtcd();
const servers: (ServerOver | undefined)[] = [];
test.after(() => stopAll(etcd, ...servers));

const FLAGS = [
  '-v=1',
  '--feature-gates=CoordinatedLeaderElection=true',
  '--runtime-config=coordination.k8s.io/v1alpha2=true',
  '--coordinated-leadership-lease-duration=8s',
  '--coordinated-leadership-renew-deadline=6s',
  '--coordinated-leadership-retry-period=200ms',
];
const DEFAULT = 'namespaces/default';
const LEASES = `/apis/coordination.k8s.io/v1/${DEFAULT}/leases`;
const CANDIDATES = `/apis/coordination.k8s.io/v1alpha2/${DEFAULT}/leasecandidates`;
/** Milliseconds of patience. */
const LONG = 40_000;

const electsIn = async ({ client }: ServerOver): Promise<boolean> =>
  (await client.get('/metrics')).text.includes('leader_election_master_status{name="leader-election-controller"} 1');

async function announce({ client }: ServerOver, name: string): Promise<void> {
  const renewTime = new Date().toISOString().replace('Z', '000Z');
  const spec = { leaseName: name, binaryVersion: '1.32.0', emulationVersion: '1.32.0', strategy: 'OldestEmulationVersion', renewTime };
  await answered(201, client.post(CANDIDATES, { metadata: { name }, spec }));
}

const holds = (name: string, by: ServerOver): Promise<unknown> =>
  eventually(
    () => by.client.get(`${LEASES}/${name}`),
    ({ body }) => body.spec?.holderIdentity === name,
    LONG,
  );
const elections = ({ server }: ServerOver): number => server.log().split('the holder of a lease was elected').length - 1;

test('one elects, whichever is asked, and the other one when that has ended', async () => {
  const first = await startOver(etcd, FLAGS);
  servers.push(first);
  await eventually(() => electsIn(first), Boolean, LONG);
  const second = await startOver(etcd, FLAGS);
  servers.push(second);
  await announce(first, 'a');
  await announce(second, 'b');
  await holds('a', second);
  await holds('b', first);
  // what is logged comes another way than answers
  await eventually(
    async () => elections(first),
    (count) => count === 2,
  );
  assert.equal([elections(first), elections(second), await electsIn(second)], [2, 0, false]);
  first.client.close();
  await first.server.kill();
  servers[0] = undefined;
  // a candidate that was announced before would have to say meanwhile that it is still there
  await eventually(() => electsIn(second), Boolean, LONG);
  await announce(second, 'c');
  await holds('c', second);
});

test.run();
