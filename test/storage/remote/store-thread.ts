/** The thread of remote-storage.test.ts that has the store. */
import { parentPort } from 'node:worker_threads';
import { MemoryData } from '../../../runtime/storage/memory/memory-data.ts';
import { MemoryStorage } from '../../../runtime/storage/memory/memory-storage.ts';
import { serveStore } from '../../../runtime/storage/remote/serve-store.ts';

const data = new MemoryData();
let storage: MemoryStorage | undefined;
let end = (): void => {};

parentPort?.on('message', async () => {
  end();
  await storage?.close();
  storage = new MemoryStorage(data);
  const served = serveStore(storage, (part) => {
    parentPort?.postMessage({ part });
    return undefined;
  });
  end = served.end;
  parentPort?.postMessage(served.data, served.handedOver);
});
