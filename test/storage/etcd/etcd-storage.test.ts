import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Conflict, KeyNotFound } from '../../../runtime/storage/errors.ts';
import type { EtcdError } from '../../../runtime/storage/etcd/client/etcd-error.ts';
import { type EtcdStorage, openEtcdStorage } from '../../../runtime/storage/etcd/etcd-storage.ts';
import { startEtcd } from '../../harness/etcd.ts';
import { bytes, rejection, withStore } from '../contract/store.ts';
import { storageContract } from '../contract.ts';
import { plainValues } from './plain-values.ts';

const etcd = await startEtcd({ flags: ['--max-request-bytes=16777216'] });
let stores = 0;

const openUnder = (prefix: string) => openEtcdStorage({ client: etcd.client(), prefix, codec: plainValues });

/** Stores that no case has taken: a watch that begins in the past is told of it by etcd a tenth of a second later, of which each case would wait for all. */
const ahead: Promise<{ readonly prefix: string; readonly storage: EtcdStorage }>[] = [];
const AHEAD = 8;
/** Reads are those of the store in memory, which is held to more of them. */
const HISTORIES = 30;

/** A store that has what etcd had when this was called. */
async function opened() {
  while (ahead.length <= AHEAD) {
    const prefix = `/registry-${++stores}`;
    ahead.push(openUnder(prefix).then((storage) => ({ prefix, storage })));
  }
  const next = await (ahead.shift() as (typeof ahead)[0]);
  await next.storage.barrier();
  return next;
}

/** Each has keys of its own in the same etcd. */
async function etcdStore() {
  const { prefix, storage: taken } = await opened();
  let storage = taken;
  const first = storage.compactedRevision();
  let compacted = first;
  return {
    keepsLastValues: true as const,
    writesInAnyOrder: true as const,
    compactsElsewhere: true as const,
    get storage() {
      return storage;
    },
    // what a server compacts of its own view is gone with it: the next one has what etcd has
    async reopen() {
      if (!storage.isClosed) compacted = storage.compactedRevision();
      await storage.close();
      if (compacted > first) await compact(compacted);
      storage = await openUnder(prefix);
      return storage;
    },
    remove: () => storage.close(),
  };
}

/** Where it was compacted to there for another store already, nothing is to be done. */
async function compact(revision: number): Promise<void> {
  const client = etcd.client();
  await client.compact(revision).catch((error: EtcdError) => {
    if (!error.isCompacted) throw error;
  });
  client.close();
}

storageContract('etcd', etcdStore, { count: HISTORIES }).run();

// the last one: a member that runs keeps this process alive
const last = suite('etcd: revisions as etcd counts them');
last.after(async () => {
  for (const each of ahead) await (await each).storage.close();
  await etcd.stop();
});
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
