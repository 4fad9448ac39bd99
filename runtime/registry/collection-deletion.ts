/** Deletes many objects of one resource, with bounded memory and without holding the event loop. */

import type { RuleContext } from '../contract/kind.ts';
import type { ApiObject } from '../contract/object.ts';
import { isNotFound } from '../status/status.ts';
import type { DeleteOptions } from './deletion.ts';
import { turn } from './event-loop-turns.ts';
import { nextSlice, type ObjectList } from './list.ts';
import type { ResourceStore } from './resource-store.ts';
import { splitKey } from './selection.ts';
import { StoredObject } from './stored-object.ts';

/** Deletes under way at once: enough to share flushes of the store. */
const CONCURRENT = 16;
/** After so many objects others have their turn. */
const REST = 4;

/**
 * Deletes each object of a snapshot as one delete would; those that others remove meanwhile count as deleted. Objects are examined in their
 * order, as many at a time as the server's settings say; one that is refused ends it, and what was admitted before goes.
 * @param admit asked for each object
 * @param signal ends it early
 * @param elsewhere has an object deleted by somebody else; false: it is deleted here
 * @throws StatusError the first one, or what the signal gives as its reason; what is under way then ends first, nothing more begins
 */
export async function deleteObjects(
  store: ResourceStore,
  objects: ObjectList,
  options: DeleteOptions,
  context: RuleContext,
  admit: (old: ApiObject) => Promise<void>,
  signal?: AbortSignal,
  elsewhere?: (namespace: string, name: string) => Promise<boolean>,
): Promise<void> {
  const prefix = store.prefix('').slice(0, -1);
  const namespaced = store.resource.data.scope === 'Namespaced';
  await eachInTurn(
    await keysOf(objects, (stored) => store.requireReadable(stored)),
    store.deletion.collectionWorkers,
    async (key, examined) => {
      signal?.throwIfAborted();
      const { namespace, name } = splitKey(key, prefix, namespaced);
      const examine = async (old: ApiObject): Promise<void> => {
        await admit(old);
        examined();
      };
      try {
        if ((await elsewhere?.(namespace, name)) === true) return;
        await store.delete(namespace, name, options, context, examine);
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    },
  );
}

/**
 * All of them before anything is done with them: that may take long, and the snapshot may not last. Yields every few milliseconds.
 * @param check called with each. @throws what it throws
 */
export async function keysOf(objects: ObjectList, check: (stored: StoredObject) => void = () => {}): Promise<string[]> {
  const keys: string[] = [];
  const slices = objects.slices({
    add({ key, value }) {
      check(new StoredObject(value));
      keys.push(key);
      return key.length;
    },
  });
  while (await nextSlice(slices)) await turn();
  return keys;
}

/**
 * @param workers items that are examined at a time: until `act` calls `examined`, or ends
 * @throws the first failure, when all that had begun has ended
 */
async function eachInTurn<T>(items: readonly T[], workers: number, act: (item: T, examined: () => void) => Promise<void>): Promise<void> {
  const most = Math.max(CONCURRENT, workers);
  const underWay = new Set<Promise<void>>();
  const failures: unknown[] = [];
  let next = 0;
  const begin = (item: T): Promise<void> =>
    new Promise((examined) => {
      const ended = act(item, examined)
        .catch((error) => void failures.push(error))
        .finally(() => {
          underWay.delete(ended);
          examined();
        });
      underWay.add(ended);
    });
  const work = async (): Promise<void> => {
    while (failures.length === 0 && next < items.length) {
      await begin(items[next++] as T);
      // A dry run waits for no disk.
      if (next % REST === 0) await turn();
      while (underWay.size >= most) await Promise.race(underWay);
    }
  };
  await Promise.all(Array.from({ length: Math.min(workers, items.length) }, work));
  await Promise.all(underWay);
  if (failures.length > 0) throw failures[0];
}
