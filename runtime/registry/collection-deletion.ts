/** Deletes many objects of one resource, with bounded memory and without holding the event loop. */
import { setImmediate as turn } from 'node:timers/promises';
import type { RuleContext } from '../contract/kind.ts';
import type { ApiObject } from '../contract/object.ts';
import { StatusError } from '../status/status.ts';
import type { DeleteOptions } from './deletion.ts';
import type { ObjectList } from './list.ts';
import type { ResourceStore } from './resource-store.ts';
import { splitKey } from './selection.ts';

/** Deletes under way at once: enough to share flushes of the store. */
const CONCURRENT = 16;
/** Every so many deletes one of those under way lets others have their turn. */
const REST = 4;

/**
 * Deletes each object of a snapshot as one delete would; those that others remove meanwhile count as deleted.
 * @param admit asked for each object
 * @param signal ends it early
 * @throws StatusError the first one, or what the signal gives as its reason; what is under way then ends first, nothing more begins
 */
export async function deleteObjects(
  store: ResourceStore,
  objects: ObjectList,
  options: DeleteOptions,
  context: RuleContext,
  admit: (old: ApiObject) => Promise<void>,
  signal?: AbortSignal,
): Promise<void> {
  const prefix = store.prefix('').slice(0, -1);
  const namespaced = store.resource.data.scope === 'Namespaced';
  await eachConcurrently(await keysOf(objects), async (key) => {
    signal?.throwIfAborted();
    const { namespace, name } = splitKey(key, prefix, namespaced);
    try {
      await store.delete(namespace, name, options, context, admit);
    } catch (error) {
      if (!(error instanceof StatusError) || error.status.reason !== 'NotFound') throw error;
    }
  });
}

/** All of them before anything goes: deleting takes long, and the snapshot may not last. */
async function keysOf(objects: ObjectList): Promise<string[]> {
  const keys: string[] = [];
  const slices = objects.slices(({ key }) => {
    keys.push(key);
    return key.length;
  });
  while (slices.next().done !== true) await turn();
  return keys;
}

/** @throws the first failure, when all that had begun has ended */
async function eachConcurrently<T>(items: readonly T[], act: (item: T) => Promise<void>): Promise<void> {
  let next = 0;
  let failed = false;
  let failure: unknown;
  const work = async (): Promise<void> => {
    while (!failed && next < items.length) {
      try {
        const index = next++;
        // A dry run waits for no disk.
        if (index % REST === 0) await turn();
        await act(items[index] as T);
      } catch (error) {
        if (!failed) failure = error;
        failed = true;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(CONCURRENT, items.length) }, work));
  if (failed) throw failure;
}
