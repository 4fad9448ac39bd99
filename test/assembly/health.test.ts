import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Health, USUAL_STEPS } from '../../runtime/assembly/health.ts';
import type { Storage } from '../../runtime/storage/storage.ts';
import { HOUR, withMachineClock } from '../harness/machine-clock.ts';

const test = suite('health');
const readable = { currentRevision: () => 1 } as unknown as Storage;
const broken = {
  currentRevision: () => {
    throw new Error('MDB_PANIC');
  },
} as unknown as Storage;

/** Names of the checks that fail, by endpoint. */
function failing(health: Health): Record<string, string[]> {
  const names = (endpoint: string) =>
    health
      .of(endpoint)
      .filter(({ check }) => check() !== undefined)
      .map(({ name }) => name);
  return Object.fromEntries(['healthz', 'livez', 'readyz'].map((endpoint) => [endpoint, names(endpoint)]));
}

const OBJECTS = [
  'poststarthook/scheduling/bootstrap-system-priority-classes',
  'poststarthook/priority-and-fairness-config-producer',
  'autoregister-completion',
];

test('each step of a start has its checks, which hold once it is done', () => {
  const health = new Health(readable, 'etcd', 0);
  const { readyz } = failing(health);
  assert.equal(readyz, ['poststarthook/start-system-namespaces-controller', 'poststarthook/rbac/bootstrap-roles', ...OBJECTS]);
  health.done('namespaces');
  assert.equal(failing(health).livez, ['poststarthook/rbac/bootstrap-roles', ...OBJECTS]);
  health.done('objects');
  assert.equal(failing(health).healthz, ['poststarthook/rbac/bootstrap-roles']);
  health.done('roles');
  assert.equal(failing(health), { healthz: [], livez: [], readyz: [] });
});
test('a start that registers storage versions waits for that too', () => {
  const health = new Health(readable, 'etcd', 0, [...USUAL_STEPS, 'storageVersions']);
  for (const step of USUAL_STEPS) health.done(step);
  const left = ['poststarthook/built-in-resources-storage-version-updater'];
  assert.equal(failing(health), { healthz: left, livez: left, readyz: left });
  health.done('storageVersions');
  assert.equal(failing(health), { healthz: [], livez: [], readyz: [] });
});
test('a start that another process has done is done', () => {
  const health = new Health(readable, 'etcd', 0);
  health.started();
  assert.equal(failing(health).readyz, []);
});
test('within the grace period a start counts as alive, neither as healthy nor as ready', () => {
  const { healthz, livez, readyz } = failing(new Health(readable, 'etcd', 60_000));
  assert.equal([healthz?.length, livez?.length, readyz?.length], [5, 0, 5]);
});
for (const hours of [-6, 6])
  test(`the grace period is as long where the clock is set by ${hours} hours`, () =>
    withMachineClock((clock) => {
      const health = new Health(readable, 'etcd', 60_000);
      clock.set(hours * HOUR);
      assert.equal(failing(health).livez, []);
      clock.pass(60_000);
      assert.is(failing(health).livez?.length, 5);
    }));
test('a server that ends is not ready, and alive', () => {
  const health = new Health(readable, 'etcd', 0);
  health.started();
  health.stopping();
  assert.equal(failing(health), { healthz: [], livez: [], readyz: ['shutdown'] });
});
test('a store that cannot be read fails its checks alone', () => {
  const health = new Health(broken, 'etcd', 0);
  health.started();
  assert.equal(failing(health), { healthz: ['etcd'], livez: ['etcd'], readyz: ['etcd', 'etcd-readiness'] });
});
test.run();
