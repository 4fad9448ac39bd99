/** Deletes many objects of one resource. Needs bounded memory, and lets others have the event loop in between. */

import type { RuleContext } from '../../contract/kind-rules.ts';
import type { ApiObject } from '../../contract/object.ts';
import { turn } from '../../event-loop/turns.ts';
import { isNotFound } from '../../status/status.ts';
import type { DeleteOptions } from '../resource-store/deletion.ts';
import type { ResourceStore } from '../resource-store/resource-store.ts';
import { splitKey } from '../selection/selection.ts';
import { StoredObject } from '../stored-objects/stored-object.ts';
import { nextSlice, type ObjectList } from './list.ts';

/** The number of deletes that are under way at a time, which is enough for them to share flushes of the store. */
const CONCURRENT = 16;
/** The number of objects after which other work has its turn. */
const REST = 4;

/** How the objects of a collection are deleted. */
export interface CollectionDeletion {
  readonly options: DeleteOptions;
  readonly context: RuleContext;
  /** called with each stored object before it is deleted; what it throws ends the deletion */
  readonly admit: (old: ApiObject) => Promise<void>;
  /** ends the deletion early */
  readonly signal?: AbortSignal;
  /** Deletes an object on another thread, and resolves with true; resolves with false where the object is to be deleted on this one. */
  readonly elsewhere?: (namespace: string, name: string) => Promise<boolean>;
}

/**
 * Deletes each object of a snapshot as a single delete would. An object that somebody else removes meanwhile counts as deleted. Objects are
 * examined in their order, as many at a time as `DeletionSettings` say. A refused object ends the deletion; the objects that were admitted
 * before it go.
 * @throws StatusError the first one, or the reason of the signal. Deletes that are under way end first, and no other begins
 */
export async function deleteObjects(
  store: ResourceStore,
  objects: ObjectList,
  { options, context, admit, signal, elsewhere }: CollectionDeletion,
): Promise<void> {
  const prefix = store.prefix('').slice(0, -1);
  const namespaced = store.resource.data.scope === 'Namespaced';
  await eachInTurn(
    await keysOf(objects, (stored) => store.requireReadable(stored)),
    store.deletions.settings.collectionWorkers,
    async (key, examined) => {
      signal?.throwIfAborted();
      const { namespace, name } = splitKey(key, prefix, namespaced);
      const examine = async (old: ApiObject): Promise<void> => {
        await admit(old);
        examined();
      };
      try {
        if ((await elsewhere?.(namespace, name)) === true) return;
        await store.deletions.delete(namespace, name, options, context, examine);
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    },
  );
}

/**
 * Reads the keys of all objects of a list before any of them is deleted: deleting may outlast the snapshot. Yields every few milliseconds.
 * @param check called with each object. @throws what `check` throws
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
      // A dry run never waits for the disk, so it has to yield by itself.
      if (next % REST === 0) await turn();
      while (underWay.size >= most) await Promise.race(underWay);
    }
  };
  await Promise.all(Array.from({ length: Math.min(workers, items.length) }, work));
  await Promise.all(underWay);
  if (failures.length > 0) throw failures[0];
}
