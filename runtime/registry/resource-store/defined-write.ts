/**
 * Objects of a definition are created only while it is there and is not being deleted: one that is stored behind its end would be an object of the next
 * definition of the same name. Other processes may have deleted it since the request began.
 */
import { newDefinitionTerminating } from '../../status/status.ts';
import { GuardBroken } from '../../storage/errors.ts';
import type { Guard, Storage } from '../../storage/storage.ts';
import type { Resource } from '../resources/resource.ts';
import { StoredObject } from '../stored-objects/stored-object.ts';

/** How often a creation is tried again whose definition has changed: its status does for a while after it was made. */
const MAX_ATTEMPTS = 100;

interface Defined {
  readonly resource: Resource;
  readonly storage: Storage;
}

/**
 * @param byUpdate whether a write that found no object creates it: in 1.32 that still does where a definition is being deleted
 * @param write gets what must not have changed; undefined where nothing in the store defines the resource
 * @throws StatusError MethodNotAllowed; what `write` throws
 */
export async function whileDefined(of: Defined, byUpdate: boolean, write: (guard: Guard | undefined) => Promise<number>): Promise<number> {
  const { definition } = of.resource.versions;
  if (definition === undefined) return write(undefined);
  for (let attempt = 1; ; attempt++) {
    const guard = guardOf(of, definition, byUpdate);
    try {
      return await write(guard);
    } catch (error) {
      if (!(error instanceof GuardBroken) || error.key !== definition || attempt >= MAX_ATTEMPTS) throw error;
    }
    await of.storage.barrier();
  }
}

function guardOf({ resource, storage }: Defined, key: string, byUpdate: boolean): Guard {
  const found = storage.look(key, ({ revision, value }) => ({ revision, isDeleted: new StoredObject(value).deleting }));
  if (found === undefined || (found.isDeleted && !byUpdate)) throw newDefinitionTerminating(resource.groupResource, 'create');
  return { key, revision: found.revision };
}
