import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Conflict, KeyNotFound } from '../../../runtime/storage/errors.ts';
import { openEtcdStorage } from '../../../runtime/storage/etcd/etcd-storage.ts';
import { startEtcd } from '../../harness/etcd.ts';
import { bytes, rejection, withStore } from '../contract/store.ts';
import { storageContract } from '../contract.ts';
import { plainValues } from './plain-values.ts';

const etcd = await startEtcd({ flags: ['--max-request-bytes=16777216'] });
let stores = 0;

/** Each has keys of its own in the same etcd. */
async function etcdStore() {
  const prefix = `/registry-${++stores}`;
  const open = () => openEtcdStorage({ client: etcd.client(), prefix, codec: plainValues });
  let storage = await open();
  const first = storage.compactedRevision();
  let compacted = first;
  return {
    keepsLastValues: true as const,
    writesInAnyOrder: true as const,
    get storage() {
      return storage;
    },
    // what a server compacts of its own view is gone with it: the next one has what etcd has
    async reopen() {
      if (!storage.isClosed) compacted = storage.compactedRevision();
      await storage.close();
      if (compacted > first) await compact(compacted);
      storage = await open();
      return storage;
    },
    remove: () => storage.close(),
  };
}

async function compact(revision: number): Promise<void> {
  const client = etcd.client();
  await client.compact(revision);
  client.close();
}

storageContract('etcd', etcdStore).run();

// the last one: a member that runs keeps this process alive
const last = suite('etcd: revisions as etcd counts them');
last.after(() => etcd.stop());
for (const operation of ['update', 'delete'] as const)
  last(`${operation} at revision 0 refuses a key that is not there: that is no create`, () =>
    withStore(etcdStore, async ({ storage }) => {
      const before = storage.currentRevision();
      const error = await rejection(storage[operation]('pods/a', 0, bytes('1')));
      assert.instance(error, KeyNotFound);
      assert.is(storage.currentRevision(), before);
      await storage.create('pods/a', bytes('1'));
      const conflict = (await rejection(storage[operation]('pods/a', 0, bytes('1')))) as Conflict;
      assert.instance(conflict, Conflict);
      assert.is(conflict.expectedRevision, 0);
    }),
  );
last.run();
