/** Elections in a store: what becomes of leases and candidates as time passes. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ApiObject } from '../../../runtime/contract/object.ts';
import { ChangeFollower } from '../../../runtime/controllers/controller/change-follower.ts';
import type { Controller } from '../../../runtime/controllers/controller/controller.ts';
import { microTime } from '../../../runtime/controllers/coordinated-election/election-rules.ts';
import { ExpiredCandidates } from '../../../runtime/controllers/coordinated-election/expired-candidates.ts';
import { electionResources, LeaseElections } from '../../../runtime/controllers/coordinated-election/lease-elections.ts';
import { eventually, TestCluster } from '../server.ts';
import { TestClock } from '../test-clock.ts';

const test = suite('elections among candidates');

const CANDIDATES = 'coordination.k8s.io/v1alpha2';
const LEASES = 'coordination.k8s.io/v1';
const NAMESPACE = 'default';
const SECOND = 1_000;
const MINUTE = 60 * SECOND;

let cluster: TestCluster;
let clock: TestClock;
let follower: ChangeFollower | undefined;
let running: Controller | undefined;
test.before.each(async () => {
  cluster = await TestCluster.create();
  clock = new TestClock(Date.UTC(2026, 0, 1));
});
test.after.each(async () => {
  follower?.stop();
  await running?.stop();
  await cluster.remove();
});

async function start<C extends Controller>(controller: C): Promise<C> {
  const { storage } = cluster.server;
  const revision = storage.currentRevision();
  await controller.list(revision);
  const failed = (error: unknown): void => assert.unreachable(String(error));
  follower = new ChangeFollower(storage, [controller], { lost: failed, failed });
  follower.start(revision);
  running = controller;
  return controller;
}

const resources = () => electionResources(cluster.server) as NonNullable<ReturnType<typeof electionResources>>;
const elections = () => start(new LeaseElections(cluster.server, resources(), clock));
const now = (): string => microTime(clock.date());

const announce = (name: string, spec: object = {}, namespace = NAMESPACE): Promise<ApiObject> =>
  cluster.create(CANDIDATES, 'leasecandidates', {
    metadata: { namespace, name },
    spec: {
      leaseName: 'l',
      binaryVersion: '1.32.0',
      emulationVersion: '1.32.0',
      strategy: 'OldestEmulationVersion',
      renewTime: now(),
      ...spec,
    },
  });
const answer = (name: string): Promise<ApiObject> =>
  cluster.edit(CANDIDATES, 'leasecandidates', { namespace: NAMESPACE, name }, ({ spec }) => Object.assign(spec, { renewTime: now() }));
const renew = (edit: object = {}): Promise<ApiObject> =>
  cluster.edit(LEASES, 'leases', { namespace: NAMESPACE, name: 'l' }, ({ spec }) => Object.assign(spec, { renewTime: now(), ...edit }));
const lease = (key = 'l'): ApiObject['spec'] => cluster.objects(`leases/${NAMESPACE}/`).find(({ metadata }) => metadata.name === key)?.spec;
const candidate = (name: string): ApiObject | undefined =>
  cluster.objects('leasecandidates/').find(({ metadata }) => metadata.name === name);
const shown = (): string => JSON.stringify([lease(), cluster.objects('leasecandidates/').map(({ spec }) => spec)]);
const holds = (name: string) => eventually(() => lease()?.holderIdentity === name, shown);
const isAsked = (name: string) => eventually(() => candidate(name)?.spec.pingTime === now(), shown);

test('a candidate that is there is elected, as the server itself writes', async () => {
  await announce('a');
  await elections();
  await holds('a');
  assert.equal(lease(), {
    holderIdentity: 'a',
    leaseDurationSeconds: 5,
    renewTime: now(),
    strategy: 'OldestEmulationVersion',
  });
  const [object] = cluster.objects(`leases/${NAMESPACE}/l`);
  assert.equal(
    ((object?.metadata.managedFields ?? []) as { manager: string }[]).map(({ manager }) => manager),
    ['kube-apiserver'],
  );
});

test('one that comes is elected, each lease by itself', async () => {
  await elections();
  await announce('a');
  await holds('a');
  await announce('b', { leaseName: 'm' });
  await announce('l', {}, 'elsewhere');
  await eventually(() => lease('m')?.holderIdentity === 'b', shown);
  assert.is(lease().holderIdentity, 'a');
  await eventually(() => cluster.objects('leases/elsewhere/l').length === 1, shown);
});

test('a better one is preferred, and holds the lease when it is given up', async () => {
  await announce('a');
  await elections();
  await holds('a');
  await announce('b', { emulationVersion: '1.31.0' });
  await eventually(() => lease().preferredHolder === 'b', shown);
  assert.is(lease().holderIdentity, 'a');
  await renew({ holderIdentity: '', leaseDurationSeconds: 1 });
  await holds('b');
  assert.is(lease().preferredHolder, undefined);
});

test('another one takes the place of one that has gone silent, when it has had time to answer', async () => {
  const controller = await elections();
  await announce('a', { emulationVersion: '1.31.0' });
  await holds('a');
  await announce('b');
  await controller.settled();
  clock.advance(11 * SECOND);
  await isAsked('a');
  await isAsked('b');
  clock.advance(SECOND);
  await answer('b');
  await controller.settled();
  assert.is(lease().holderIdentity, 'a');
  // its answer is too old at the end of the other one's time: it is asked once more
  clock.advance(5 * SECOND);
  for (const until = clock.date() + MINUTE; lease().holderIdentity !== 'b' && clock.date() < until; clock.advance(SECOND)) {
    await answer('b');
    await new Promise((resolve) => setTimeout(resolve, 20));
    await controller.settled();
  }
  assert.is(lease().holderIdentity, 'b');
});

test('who holds the lease is asked every fifteen minutes, so that it stays a candidate', async () => {
  const controller = await elections();
  await announce('a');
  await holds('a');
  await renew({ leaseDurationSeconds: 3_600 });
  await controller.settled();
  for (let minute = 0; minute < 14; minute++) {
    clock.advance(MINUTE);
    await controller.settled();
  }
  assert.is(candidate('a')?.spec.pingTime, undefined);
  clock.advance(2 * MINUTE);
  await isAsked('a');
  await answer('a');
  await renew();
  clock.advance(5 * SECOND);
  await controller.settled();
  assert.is(lease().holderIdentity, 'a');
});

test('a lease that is deleted is made again', async () => {
  await announce('a');
  await elections();
  await holds('a');
  await cluster.delete(LEASES, 'leases', { namespace: NAMESPACE, name: 'l' });
  await holds('a');
});

test('leases without candidates are left alone, also when their candidates are gone', async () => {
  const controller = await elections();
  await announce('a');
  await holds('a');
  await cluster.delete(CANDIDATES, 'leasecandidates', { namespace: NAMESPACE, name: 'a' });
  await cluster.create(LEASES, 'leases', { metadata: { namespace: NAMESPACE, name: 'other' }, spec: { holderIdentity: 'x' } });
  clock.advance(MINUTE);
  await new Promise((resolve) => setTimeout(resolve, 50));
  await controller.settled();
  assert.equal([lease().holderIdentity, lease('other')], ['a', { holderIdentity: 'x' }]);
});

test('changes of a lease with many candidates are gathered', async () => {
  for (let index = 0; index < 70; index++) await announce(`c${index}`, { emulationVersion: '1.31.0' });
  const controller = await elections();
  const waits = (milliseconds: number) =>
    eventually(
      () => clock.asked.includes(milliseconds),
      () => clock.asked.join(),
    );
  await waits(70);
  clock.advance(70);
  await controller.settled();
  await announce('best', { emulationVersion: '1.30.0' });
  await waits(71);
  await controller.settled();
  assert.is(lease().preferredHolder, undefined);
  clock.advance(71);
  await eventually(() => lease().preferredHolder === 'best', shown);
});

test('candidates that have been silent for half an hour go', async () => {
  await announce('silent', { renewTime: microTime(clock.date() - 31 * MINUTE) });
  await announce('mute', { renewTime: undefined });
  await announce('a', { renewTime: microTime(clock.date() - 29 * MINUTE) });
  const names = (): string =>
    cluster
      .objects('leasecandidates/')
      .map(({ metadata }) => metadata.name as string)
      .join();
  const controller = await start(new ExpiredCandidates(cluster.server, resources(), clock));
  await controller.settled();
  assert.is(names(), 'a');
  clock.advance(30 * MINUTE);
  await controller.settled();
  assert.is(names(), '');
});

test.run();
