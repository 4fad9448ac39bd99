/** The Lease of the leader, as the registry has it. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { LeaseElection, type Term } from '../../../runtime/client/leader-election/lease-election.ts';
import { DATED_CLOCK } from '../../../runtime/client/work-queue/clock.ts';
import type { ApiObject } from '../../../runtime/contract/object.ts';
import { type LeaderLease, leaderLease } from '../../../runtime/controllers/election/leader-lease.ts';
import { eventually, TestCluster } from '../server.ts';

const test = suite('the lease of the leader');

const GROUP = 'coordination.k8s.io/v1';
const PLACE = { namespace: 'kube-system', name: 'controllers' };
const TIMES = { leaseDuration: 2_000, renewDeadline: 1_000, retryPeriod: 20 };
const SPEC = { holderIdentity: 'a', leaseDurationSeconds: 15, leaseTransitions: 0 };

let cluster: TestCluster;
let lease: LeaderLease;
test.before.each(async () => {
  cluster = await TestCluster.create();
  lease = leaderLease(cluster.server, PLACE) as LeaderLease;
});
test.after.each(() => cluster.remove());

const stored = (): ApiObject => cluster.objects('leases/')[0] as ApiObject;

test('is made, and found, as any other object is', async () => {
  assert.is(await lease.read(), undefined);
  assert.is(lease.revisionHeldBy('a'), undefined);
  const created = await lease.create(SPEC);
  assert.equal(await lease.read(), created);
  const { metadata, spec, kind } = stored();
  assert.equal([kind, metadata.namespace, metadata.name, spec], ['Lease', PLACE.namespace, PLACE.name, SPEC]);
  assert.equal([lease.revisionHeldBy('a'), lease.revisionHeldBy('b')], [Number(metadata.resourceVersion), undefined]);
});

test('is made once, and changed only by who knows it as it is', async () => {
  const created = await lease.create(SPEC);
  assert.ok(created);
  assert.is(await lease.create({ ...SPEC, holderIdentity: 'b' }), undefined);
  const taken = await lease.update(created, { ...SPEC, holderIdentity: 'b' });
  assert.ok(taken);
  assert.equal([lease.revisionHeldBy('a'), lease.revisionHeldBy('b')], [undefined, Number(stored().metadata.resourceVersion)]);
  assert.is(await lease.update(created, SPEC), undefined);
  assert.is(stored().spec.holderIdentity, 'b');
  await cluster.edit(GROUP, 'leases', PLACE, ({ metadata }) => {
    metadata.labels = { kept: 'yes' };
  });
  assert.is(await lease.update(taken, SPEC), undefined);
  const read = await lease.read();
  assert.ok(read && (await lease.update(read, SPEC)));
  assert.equal([stored().metadata.labels, stored().spec.holderIdentity], [{ kept: 'yes' }, 'a']);
});

test('one of several has it, and the next one when that ends', async () => {
  const leading: string[] = [];
  const ending = new AbortController();
  const run = (identity: string, signal: AbortSignal): Promise<void> => {
    const own = leaderLease(cluster.server, PLACE) as LeaderLease;
    const lead = async (term: Term): Promise<void> => {
      assert.ok(term.holds() && own.revisionHeldBy(identity) !== undefined);
      leading.push(identity);
      await new Promise((resolve) => term.signal.addEventListener('abort', resolve, { once: true }));
    };
    return new LeaseElection(own, { ...TIMES, identity, clock: DATED_CLOCK }).run(lead, signal).catch(() => {});
  };
  const first = run('a', ending.signal);
  await eventually(
    () => leading.length === 1,
    () => 'nobody leads',
  );
  const [secondEnds, thirdEnds] = [new AbortController(), new AbortController()];
  const others = [run('b', secondEnds.signal), run('c', thirdEnds.signal)];
  ending.abort(new Error('ended'));
  await first;
  await eventually(
    () => leading.length === 2,
    () => leading.join(),
  );
  assert.is(stored().spec.leaseTransitions, 1);
  secondEnds.abort(new Error('ended'));
  thirdEnds.abort(new Error('ended'));
  await Promise.all(others);
  assert.is(stored().spec.holderIdentity, '');
});

test.run();
