/** The thread of remote-storage.test.ts that has the store. */
import { parentPort } from 'node:worker_threads';
import { MemoryData } from '../../../runtime/storage/memory/memory-data.ts';
import { MemoryStorage } from '../../../runtime/storage/memory/memory-storage.ts';
import { serveStore } from '../../../runtime/storage/remote/serve-store.ts';

/** What the flag says while this thread waits. */
const WAITING = 1;

const data = new MemoryData();
let storage: MemoryStorage | undefined;
let end = (): void => {};

/** Opens the store anew, or waits as long as whoever sent the flag wants it to. */
parentPort?.on('message', (message: 'open' | Int32Array) => {
  if (message === 'open') return open();
  Atomics.store(message, 0, WAITING);
  Atomics.notify(message, 0);
  Atomics.wait(message, 0, WAITING);
});

async function open(): Promise<void> {
  end();
  await storage?.close();
  storage = new MemoryStorage(data);
  const served = serveStore(storage, (part) => {
    parentPort?.postMessage({ part });
    return undefined;
  });
  end = served.end;
  parentPort?.postMessage(served.data, served.handedOver);
}
