/** What a server writes of its storage versions, and when. */
import { setImmediate as round } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ApiObject } from '../../../runtime/contract/object.ts';
import { identityName } from '../../../runtime/controllers/election/identity-lease.ts';
import { entriesOf } from '../../../runtime/controllers/storage-versions/server-entries.ts';
import {
  type StorageVersionResources,
  StorageVersionUpdates,
  storageVersionResources,
} from '../../../runtime/controllers/storage-versions/storage-version-updates.ts';
import { registeredResources } from '../../../runtime/registry/storage-versions/registered-resources.ts';
import { StorageVersionRegistration } from '../../../runtime/registry/storage-versions/storage-version-registration.ts';
import { newForbidden } from '../../../runtime/status/status.ts';
import { identity } from '../../kinds/context.ts';
import { eventually, TestCluster } from '../server.ts';
import { TestClock } from '../test-clock.ts';

const test = suite('updates of storage versions');

const GROUP = 'internal.apiserver.k8s.io/v1alpha1';
const HOST = 'node-a';
const NAME = identityName(identity, HOST);
const SECOND = 1_000;
const TEN_MINUTES = 600 * SECOND;
/** Two of all that there are. */
const MEANT = new Set(['configmaps', 'pods']);
const VERSIONS = { encodingVersion: 'v1', decodableVersions: ['v1'], servedVersions: ['v1'] };

let cluster: TestCluster;
let clock: TestClock;
let registration: StorageVersionRegistration;
let updates: StorageVersionUpdates;
/** refuses writes of the object of that name */
let refused: string | undefined;
let asked = 0;

test.before.each(async () => {
  refused = undefined;
  asked = 0;
  const validate = async (request: { name: string }, object: ApiObject | undefined): Promise<void> => {
    if ((object?.metadata.name ?? request.name) !== refused) return;
    asked++;
    throw newForbidden({ group: 'internal.apiserver.k8s.io', resource: 'storageversions' }, refused ?? '', 'no');
  };
  cluster = await TestCluster.create({ admission: { mutate: async () => {}, validate } as never, damaged: new Set() });
  clock = new TestClock(Date.UTC(2026, 0, 1));
  const resources = registeredResources(cluster.server.registry.current).filter(
    ({ groupResource: { group, resource } }) => group === '' && MEANT.has(resource),
  );
  registration = new StorageVersionRegistration(resources, async () => new Map(resources.map((each) => [each, VERSIONS])));
  const served = storageVersionResources(cluster.server) as StorageVersionResources;
  updates = new StorageVersionUpdates(cluster.server, registration, served, { host: HOST, clock });
});
test.after.each(async () => {
  await updates.stop();
  await cluster.remove();
});

const objects = (): ApiObject[] => cluster.objects('storageversions/');
const names = (): (string | undefined)[] => objects().map(({ metadata }) => metadata.name);
const object = (name: string): ApiObject => objects().find(({ metadata }) => metadata.name === name) as ApiObject;
const shown = (): string => JSON.stringify(objects());
const makeLease = () => cluster.create('coordination.k8s.io/v1', 'leases', { metadata: { namespace: 'kube-system', name: NAME } });
const waits = (count: number) =>
  eventually(
    () => clock.asked.length >= count,
    () => String(clock.asked),
  );
const completes = () =>
  eventually(
    () => registration.isComplete,
    () => shown(),
  );

test('nothing is written before the lease of the server is there', async () => {
  await updates.list();
  await waits(1);
  clock.advance(100);
  await waits(2);
  assert.equal(objects(), []);
  await makeLease();
  clock.advance(100);
  await completes();
  assert.equal(clock.asked.slice(0, 3), [100, 100, TEN_MINUTES]);
});

test('one object for each resource', async () => {
  await makeLease();
  await updates.list();
  await completes();
  assert.equal(names(), ['core.configmaps', 'core.pods']);
  const { metadata, status } = object('core.pods');
  assert.equal(status, {
    storageVersions: [{ apiServerID: NAME, ...VERSIONS }],
    commonEncodingVersion: 'v1',
    conditions: [
      {
        type: 'AllEncodingVersionsEqual',
        status: 'True',
        lastTransitionTime: '2026-01-01T00:00:00Z',
        reason: 'CommonEncodingVersionSet',
        message: 'Common encoding version set',
      },
    ],
  });
  // nobody owns a field of what was made without any, as in 1.32
  assert.is(metadata.managedFields, undefined);
});

test('every ten minutes what others have made of them is put right, and what is right is not written', async () => {
  await makeLease();
  await updates.list();
  await completes();
  await waits(1);
  const { resourceVersion } = object('core.pods').metadata;
  await cluster.delete(GROUP, 'storageversions', { name: 'core.configmaps' });
  clock.advance(TEN_MINUTES);
  await waits(2);
  assert.equal(names(), ['core.configmaps', 'core.pods']);
  assert.is(object('core.pods').metadata.resourceVersion, resourceVersion);
});

test('entries of other servers stay', async () => {
  await makeLease();
  await cluster.create(GROUP, 'storageversions', { metadata: { name: 'core.pods' }, spec: {}, status: {} });
  const other = { apiServerID: 'other', encodingVersion: 'v0', decodableVersions: ['v0', 'v1'] };
  await cluster.edit(
    GROUP,
    'storageversions',
    { name: 'core.pods' },
    (edited) => {
      edited.status = { storageVersions: [other], commonEncodingVersion: 'v0' };
    },
    'status',
  );
  await updates.list();
  await completes();
  const pods = object('core.pods');
  assert.equal(
    entriesOf(pods).map(({ apiServerID }) => apiServerID),
    ['other', NAME],
  );
  assert.is(pods.status.commonEncodingVersion, undefined);
});

test('a resource that fails is tried three times, and does not keep the next one', async () => {
  await makeLease();
  refused = 'core.configmaps';
  await updates.list();
  for (const count of [1, 2, 3]) {
    await waits(count);
    clock.advance(SECOND);
  }
  await waits(4);
  assert.equal([asked, names(), clock.asked], [3, ['core.pods'], [SECOND, SECOND, SECOND, TEN_MINUTES]]);
  assert.not(registration.isComplete);
  assert.is(registration.pending('', 'pods'), undefined);
  assert.match(registration.pending('', 'configmaps')?.lastError ?? '', /"core.configmaps" is forbidden: no$/);
  refused = undefined;
  clock.advance(TEN_MINUTES);
  await completes();
  assert.equal(names(), ['core.configmaps', 'core.pods']);
});

test('a later failure changes nothing for clients', async () => {
  await makeLease();
  await updates.list();
  await completes();
  await waits(1);
  refused = 'core.configmaps';
  await cluster.delete(GROUP, 'storageversions', { name: 'core.configmaps' });
  clock.advance(TEN_MINUTES);
  await waits(2);
  assert.ok(asked > 0);
  assert.is(registration.pending('', 'configmaps'), undefined);
});

test('an end while it waits', async () => {
  await updates.list();
  await waits(1);
  await updates.stop();
  await makeLease();
  clock.advance(TEN_MINUTES);
  await round();
  assert.equal(objects(), []);
});

test.run();
