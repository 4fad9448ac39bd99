import { openEtcdStorage } from '../../../runtime/storage/etcd/etcd-storage.ts';
import { startEtcd } from '../../harness/etcd.ts';
import { storageContract } from '../contract.ts';
import { plainValues } from './plain-values.ts';

const etcd = await startEtcd({ flags: ['--max-request-bytes=16777216'] });
process.once('beforeExit', () => void etcd.stop());
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
