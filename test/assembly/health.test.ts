import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type CheckedParts, Health, type StartStep } from '../../runtime/assembly/health.ts';
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

const parts = (storage: Storage, grace = 0): CheckedParts => ({
  storage,
  storeName: 'etcd',
  grace,
  catchUp: () => void storage.currentRevision(),
});
/** Takes all steps but some. */
function without(...left: StartStep[]): Health {
  const health = new Health(parts(readable), ALL_STEPS);
  health.done(...ALL_STEPS.filter((step) => !left.includes(step)));
  return health;
}
const ALL_STEPS: readonly StartStep[] = [
  'turns',
  'definitions',
  'namespaces',
  'objects',
  'roles',
  'controllers',
  'identityLease',
  'filledCaches',
  'serviceRanges',
  'ownObjects',
  'clientCertificate',
  'storageVersions',
  'peerLease',
  'peerProxy',
  'encryptionReload',
];
const short = (names: readonly string[] | undefined) => (names ?? []).map((name) => name.replace('poststarthook/', ''));

test('all checks have the names and the order of 1.32', () => {
  const health = new Health({ ...parts(readable), logProblem: () => undefined }, ALL_STEPS);
  const names = (endpoint: string) => short(health.of(endpoint).map(({ name }) => name));
  const started = [
    'start-apiserver-admission-initializer',
    'start-encryption-provider-config-automatic-reload',
    'generic-apiserver-start-informers',
    'priority-and-fairness-config-consumer',
    'priority-and-fairness-filter',
    'storage-object-count-tracker-hook',
    'start-apiextensions-informers',
    'start-apiextensions-controllers',
    'crd-informer-synced',
    'start-system-namespaces-controller',
    'peer-endpoint-reconciler-controller',
    'unknown-version-proxy-filter',
    'start-cluster-authentication-info-controller',
    'start-kube-apiserver-identity-lease-controller',
    'start-kube-apiserver-identity-lease-garbage-collector',
    'storage-readiness',
    'start-legacy-token-tracking-controller',
    'start-service-ip-repair-controllers',
    'rbac/bootstrap-roles',
    'scheduling/bootstrap-system-priority-classes',
    'priority-and-fairness-config-producer',
    'bootstrap-controller',
    'start-kubernetes-service-cidr-controller',
    'aggregator-reload-proxy-client-cert',
    'start-kube-aggregator-informers',
    'apiservice-status-local-available-controller',
    'apiservice-status-remote-available-controller',
    'apiservice-registration-controller',
    'apiservice-discovery-controller',
    'built-in-resources-storage-version-updater',
    'kube-apiserver-autoregistration',
    'autoregister-completion',
    'apiservice-openapi-controller',
    'apiservice-openapiv3-controller',
  ];
  assert.equal(names('healthz'), ['ping', 'log', 'etcd', ...started]);
  assert.equal(names('livez'), ['ping', 'log', 'etcd', ...started]);
  assert.equal(names('readyz'), ['ping', 'log', 'etcd', 'etcd-readiness', 'informer-sync', ...started, 'shutdown']);
});
const CHECKS_OF: readonly (readonly [StartStep, readonly string[]])[] = [
  ['turns', ['priority-and-fairness-config-consumer', 'priority-and-fairness-filter', 'storage-object-count-tracker-hook']],
  [
    'definitions',
    [
      'start-apiextensions-informers',
      'start-apiextensions-controllers',
      'crd-informer-synced',
      'apiservice-discovery-controller',
      'autoregister-completion',
      'apiservice-openapi-controller',
      'apiservice-openapiv3-controller',
    ],
  ],
  ['namespaces', ['start-system-namespaces-controller']],
  [
    'objects',
    [
      'scheduling/bootstrap-system-priority-classes',
      'priority-and-fairness-config-producer',
      'start-kube-aggregator-informers',
      'apiservice-registration-controller',
      'apiservice-discovery-controller',
      'autoregister-completion',
      'apiservice-openapi-controller',
      'apiservice-openapiv3-controller',
    ],
  ],
  ['roles', ['rbac/bootstrap-roles']],
  [
    'controllers',
    [
      'start-apiextensions-controllers',
      'start-service-ip-repair-controllers',
      'apiservice-status-local-available-controller',
      'apiservice-status-remote-available-controller',
      'kube-apiserver-autoregistration',
    ],
  ],
  ['identityLease', ['start-kube-apiserver-identity-lease-controller', 'start-kube-apiserver-identity-lease-garbage-collector']],
  ['filledCaches', ['storage-readiness']],
  ['serviceRanges', ['start-kubernetes-service-cidr-controller']],
  ['ownObjects', ['start-cluster-authentication-info-controller', 'start-legacy-token-tracking-controller', 'bootstrap-controller']],
  ['clientCertificate', ['aggregator-reload-proxy-client-cert']],
  ['storageVersions', ['unknown-version-proxy-filter', 'built-in-resources-storage-version-updater']],
  ['peerLease', ['peer-endpoint-reconciler-controller']],
  ['peerProxy', ['unknown-version-proxy-filter']],
  ['encryptionReload', ['start-encryption-provider-config-automatic-reload']],
];
for (const [step, names] of CHECKS_OF)
  test(`checks fail until the step ${step} is done`, () => {
    const health = without(step);
    const { healthz, livez, readyz } = failing(health);
    assert.equal([short(healthz), short(livez), short(readyz)], [names, names, names]);
    health.done(step);
    assert.equal(failing(health), { healthz: [], livez: [], readyz: [] });
  });
test('a start has the checks of its steps alone', () => {
  const health = new Health(parts(readable), []);
  const names = (endpoint: string) => short(health.of(endpoint).map(({ name }) => name));
  const followed = ['start-apiserver-admission-initializer', 'generic-apiserver-start-informers'];
  assert.equal(names('readyz'), ['ping', 'etcd', 'etcd-readiness', 'informer-sync', ...followed, 'shutdown']);
  assert.ok(!new Health(parts(readable), ['objects']).of('readyz').some(({ name }) => name.includes('crd')));
  assert.ok(new Health(parts(readable), ['objects']).of('readyz').some(({ name }) => name === 'autoregister-completion'));
});
test('a start that another process has done is done, but for what each process reads itself', () => {
  const health = new Health(parts(readable));
  health.started();
  assert.equal(short(failing(health).readyz), CHECKS_OF[1]?.[1]);
  health.done('definitions');
  assert.equal(failing(health).readyz, []);
});
test('what is not known of the delegating server holds readiness alone', () => {
  let missing: string | undefined = 'namespaces';
  const health = new Health({ ...parts(readable), missing: () => missing }, []);
  assert.equal(failing(health), { healthz: [], livez: [], readyz: ['informer-sync'] });
  missing = undefined;
  assert.equal(failing(health).readyz, []);
});
test('what the store depends on besides its disk holds health and readiness, and does not make the server seem dead', () => {
  const storage = { ...readable, checks: [{ name: 'kms-providers', check: () => 'ill' }] } as unknown as Storage;
  assert.equal(failing(new Health(parts(storage), [])), { healthz: ['kms-providers'], livez: [], readyz: ['kms-providers'] });
});
test('a log that is not written fails its check', () => {
  const health = new Health({ ...parts(readable), logProblem: () => 'logging blocked' }, []);
  assert.equal(failing(health), { healthz: ['log'], livez: ['log'], readyz: ['log'] });
});
test('within the grace period a start counts as alive, neither as healthy nor as ready', () => {
  const { healthz, livez, readyz } = failing(new Health(parts(readable, 60_000)));
  assert.equal([healthz?.length, livez?.length], [readyz?.length, 0]);
  assert.ok((readyz?.length ?? 0) > 0);
});
for (const hours of [-6, 6])
  test(`the grace period is as long where the clock is set by ${hours} hours`, () =>
    withMachineClock((clock) => {
      const health = new Health(parts(readable, 60_000));
      clock.set(hours * HOUR);
      assert.equal(failing(health).livez, []);
      clock.pass(60_000);
      assert.ok((failing(health).livez?.length ?? 0) > 0);
    }));
test('a server that ends is not ready, and alive', () => {
  const health = without();
  health.stopping();
  assert.equal(failing(health), { healthz: [], livez: [], readyz: ['shutdown'] });
});
test('a store that cannot be read fails its checks, and those of what is read of it', () => {
  const health = new Health(parts(broken), []);
  const read = ['start-apiserver-admission-initializer', 'generic-apiserver-start-informers'];
  const { healthz, livez, readyz } = failing(health);
  assert.equal(
    [short(healthz), short(livez)],
    [
      ['etcd', ...read],
      ['etcd', ...read],
    ],
  );
  assert.equal(short(readyz), ['etcd', 'etcd-readiness', 'informer-sync', ...read]);
});
test.run();
