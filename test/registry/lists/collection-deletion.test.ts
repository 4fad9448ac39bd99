/** Many deletes of one resource: their order, how many objects are examined at a time, and what a refusal leaves. */
import { setImmediate as round } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ApiObject } from '../../../runtime/contract/object.ts';
import { deleteObjects } from '../../../runtime/registry/lists/collection-deletion.ts';
import { ObjectList } from '../../../runtime/registry/lists/list.ts';
import type { DeleteOptions } from '../../../runtime/registry/resource-store/deletion.ts';
import { ResourceStore } from '../../../runtime/registry/resource-store/resource-store.ts';
import { EVERYTHING } from '../../../runtime/registry/selection/selection.ts';
import { newForbidden } from '../../../runtime/status/status.ts';
import { TestCluster } from '../../controllers/server.ts';

const test = suite('deletions of collections');

const NOW = { selection: EVERYTHING, resourceVersion: '', resourceVersionMatch: '', limit: 0, continue: '' };
const NAMES = Array.from({ length: 40 }, (_each, i) => `c${String(i).padStart(2, '0')}`);

let cluster: TestCluster;
let created: ApiObject[];
test.before(async () => {
  cluster = await TestCluster.create();
});
test.before.each(async () => {
  created = await Promise.all(NAMES.map((name) => cluster.create('v1', 'configmaps', { metadata: { name, namespace: 'n' } })));
});
test.after.each(async () => {
  await Promise.all(left().map((name) => cluster.delete('v1', 'configmaps', { namespace: 'n', name })));
});
test.after(() => cluster.remove());

const left = (): string[] => cluster.objects('configmaps/n/').map(({ metadata }) => metadata.name as string);

async function deleteAll(collectionWorkers: number, admit: (old: ApiObject) => Promise<void>, options: DeleteOptions = {}): Promise<void> {
  const { server } = cluster;
  const served = await server.store(cluster.resource('v1', 'configmaps'));
  const store = new ResourceStore(served.resource, served.hub, server.storage, {
    collectsGarbage: true,
    collectionWorkers,
    expireAfter: 0,
  });
  const objects = await ObjectList.open(served, server.storage, server.identity, { ...NOW, namespace: 'n' });
  await deleteObjects(store, objects, { options, context: server.ruleContext(false), admit });
}

for (const workers of [1, 3, 100])
  test(`${workers} examined at a time, in their order`, async () => {
    const examined: string[] = [];
    let examining = 0;
    let most = 0;
    await deleteAll(workers, async ({ metadata }) => {
      examined.push(metadata.name as string);
      most = Math.max(most, ++examining);
      // long enough for as many as there may be, and for one more
      for (let rounds = 0; rounds < 3 || (most < Math.min(workers, NAMES.length) && rounds < 1_000); rounds++) await round();
      examining--;
    });
    assert.equal(examined, NAMES);
    assert.is(most, Math.min(workers, NAMES.length));
    assert.equal(left(), []);
  });

test('admission is asked twice about what only a finalizer held that the delete takes away', async () => {
  await cluster.create('v1', 'configmaps', { metadata: { name: 'held', namespace: 'n', finalizers: ['orphan'] } });
  const examined: string[] = [];
  const admit = async ({ metadata }: ApiObject): Promise<void> => {
    examined.push(`${metadata.name} ${metadata.finalizers}`);
  };
  await deleteAll(1, admit, { propagationPolicy: 'Background' });
  assert.equal(examined.slice(-2), ['held orphan', 'held orphan']);
  assert.is(examined.length, NAMES.length + 2);
  assert.equal(left(), []);
});

test('a refusal leaves all that come after it', async () => {
  const refusing = async ({ metadata: { name = '' } }: ApiObject): Promise<void> => {
    if (name === NAMES[5]) throw newForbidden({ group: '', resource: 'configmaps' }, name, 'it stays');
  };
  await deleteAll(1, refusing).then(
    () => assert.unreachable(),
    (error: Error) => assert.match(error.message, /it stays/),
  );
  assert.equal(left(), NAMES.slice(5));
});

test('a precondition that the first one does not meet', async () => {
  const uid = created[1]?.metadata.uid as string;
  await deleteAll(1, async () => {}, { preconditions: { uid } }).then(
    () => assert.unreachable(),
    (error: Error) => assert.match(error.message, /UID/),
  );
  assert.equal(left(), NAMES);
});

test('what is gone already', async () => {
  await deleteAll(1, async ({ metadata }) => {
    const next = NAMES[NAMES.indexOf(metadata.name as string) + 1];
    if (next !== undefined && NAMES.indexOf(next) % 2 === 1) await cluster.delete('v1', 'configmaps', { namespace: 'n', name: next });
  });
  assert.equal(left(), []);
});

test.run();
