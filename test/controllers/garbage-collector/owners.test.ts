/** Owners in groups that another server answers. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Owners, UnknownOwnerKind } from '../../../runtime/controllers/garbage-collector/owners.ts';
import { TestCluster } from '../server.ts';

const test = suite('owners');
const job = { apiVersion: 'batch/v1', kind: 'Job', name: 'one', uid: 'u' };

test('of a group that moved to another server are not known here, so nothing is deleted because they are not there', async () => {
  const cluster = await TestCluster.create();
  const { registry, storage } = cluster.server;
  const moved = new Set<string>();
  const owners = new Owners(registry, storage, (group, version) => moved.has(`${group}/${version}`));
  assert.is(owners.find(job, 'default'), undefined);
  moved.add('batch/v1');
  assert.throws(
    () => owners.find(job, 'default'),
    (error: unknown) => error instanceof UnknownOwnerKind,
  );
  await cluster.remove();
});

test.run();
