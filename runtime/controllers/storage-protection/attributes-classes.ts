/** A class of attributes is in use while a volume or a claim has it, or is about to get it. */
import type { ApiObject } from '../../contract/object.ts';
import { storageKey, storagePrefix } from '../../registry/resources/resource-keys.ts';
import { type Members, READ_AT_ONCE, readParts } from '../../registry/stored-objects/sliced-reading.ts';
import { StoredObject } from '../../registry/stored-objects/stored-object.ts';
import { keptValue, type Storage } from '../../storage/storage.ts';
import type { ControllerServer } from '../controller/controller-server.ts';
import { entrySlices } from '../controller/entry-slices.ts';
import type { Protection, Users } from './protected-objects.ts';

const MEMBERS: Members = ['spec', 'status'];
const USERS = ['persistentvolumes', 'persistentvolumeclaims'];
/** The number of users that are examined in one turn. */
const SLICE = 250;

/** Makes the protection of classes. @returns undefined if such classes are not served */
export function attributesClassProtection({ registry, identity, storage }: ControllerServer): Protection | undefined {
  const group = identity.text('storage.${groupDomain}');
  const resource = registry.current.resourceOfForm(group, 'v1beta1', 'volumeattributesclasses');
  if (resource === undefined) return undefined;
  const prefixes = USERS.flatMap((name) => registry.current.resource('', 'v1', name) ?? []).map((each) => storagePrefix(each, ''));
  const used: Users['used'] = (user) => classesOf(user).map((name) => storageKey(resource, '', name));
  return {
    resource,
    finalizer: identity.text('${labelDomain}/vac-protection'),
    isInUse: ({ metadata }) => isUsed(storage, prefixes, metadata.name as string),
    users: prefixes.map((prefix) => ({ prefix, members: MEMBERS, used })),
  };
}

async function isUsed(storage: Storage, prefixes: readonly string[], name: string): Promise<boolean> {
  const named = JSON.stringify(name);
  for (const prefix of prefixes)
    for await (const slice of entrySlices(storage, prefix, { size: SLICE })) {
      const users = Array.from(slice, ({ value }) => value)
        .filter((value) => value.includes(named))
        .map((value) => readParts(new StoredObject(value.length > READ_AT_ONCE ? keptValue(value) : value), MEMBERS));
      for (const user of users) if (classesOf(await user).includes(name)) return true;
    }
  return false;
}

/** A claim has one, may have had another one before, and may be on its way to a third. */
function classesOf({ spec, status }: ApiObject): string[] {
  const names: readonly (string | undefined)[] = [
    spec?.volumeAttributesClassName,
    status?.currentVolumeAttributesClassName,
    status?.modifyVolumeStatus?.targetVolumeAttributesClassName,
  ];
  return names.flatMap((name) => name ?? []);
}
