/**
 * Objects of a definition are created only while it is there and is not being deleted: one that is stored behind its end would be an object of the next
 * definition of the same name, which knows nothing of its schema. Other processes may have deleted it since the request began, and others defined it again.
 */
import { newDefinitionTerminating } from '../../status/status.ts';
import { GuardBroken } from '../../storage/errors.ts';
import type { Guard, Storage } from '../../storage/storage.ts';
import type { Resource } from '../resources/resource.ts';
import type { DefiningObject } from '../resources/resource-definition.ts';
import { identityOf } from '../stored-objects/object-lookup.ts';
import { StoredObject } from '../stored-objects/stored-object.ts';

/** How often a creation is tried again whose definition has changed: its status does for a while after it was made. */
const MAX_ATTEMPTS = 100;

interface Defined {
  readonly resource: Resource;
  readonly storage: Storage;
}

/**
 * @param byUpdate whether a write that found no object creates it: as in 1.32 that still does where a definition is being deleted, until its objects have gone
 * @param write gets what must not have changed; undefined where nothing in the store defines the resource
 * @throws StatusError MethodNotAllowed; what `write` throws
 */
export async function whileDefined(of: Defined, byUpdate: boolean, write: (guard: Guard | undefined) => Promise<number>): Promise<number> {
  const { definition } = of.resource.versions;
  if (definition === undefined) return write(undefined);
  for (let attempt = 1; ; attempt++) {
    const guard = await guardOf(of, definition, byUpdate);
    try {
      return await write(guard);
    } catch (error) {
      if (!(error instanceof GuardBroken) || error.key !== definition.key || attempt >= MAX_ATTEMPTS) throw error;
    }
    await of.storage.barrier();
  }
}

async function guardOf({ resource, storage }: Defined, definition: DefiningObject, byUpdate: boolean): Promise<Guard> {
  const { key } = definition;
  const found = storage.look(key, ({ revision, value }) => ({ revision, ...identityOf(new StoredObject(value)) }));
  const isDeleted = found?.deletionTimestamp !== undefined;
  if (found?.uid !== definition.uid || (isDeleted && (!byUpdate || (await isEmptied(storage, definition)))))
    throw newDefinitionTerminating(resource.groupResource, 'create');
  return { key, revision: found.revision };
}

/** What is read may be later than what the guard holds on to, which then fails. */
async function isEmptied(storage: Storage, definition: DefiningObject): Promise<boolean> {
  const entry = storage.get(definition.key);
  return entry === undefined || definition.isEmptied(entry.value);
}
