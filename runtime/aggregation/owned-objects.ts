/** Reads from another server's objects who owns them and whether they are being deleted, which is what a garbage collector must know. */
import type { OwnerReference } from '../contract/object.ts';
import { isMembers, type Members, textOf } from '../openapi/remote-swagger.ts';
import { parseNativeJson } from '../schema/json/native-json.ts';

export interface OwnedObjectsOrder {
  readonly body: Uint8Array;
}

/** An object of another server. */
export interface OwnedObject {
  /** '' for one outside of namespaces */
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly deleting: boolean;
  /** seconds that the object still has once it is deleted */
  readonly grace: number;
  readonly owners: readonly OwnerReference[];
  readonly finalizers: readonly string[];
}

/** One page of a list. */
export interface OwnedObjects {
  /** those that are owned or being deleted */
  readonly objects: readonly OwnedObject[];
  /** the version of the list */
  readonly resourceVersion: string;
  /** token for the next page; '' on the last page */
  readonly next: string;
}

/** Objects that are no such are passed over. @throws SyntaxError for invalid JSON; Error if the list is no object */
export function ownedObjects({ body }: OwnedObjectsOrder): OwnedObjects {
  const page = parseNativeJson<unknown>(textOf(body));
  if (!isMembers(page)) throw new Error('the list is no object');
  const items: readonly unknown[] = Array.isArray(page.items) ? page.items : [];
  const metadata = isMembers(page.metadata) ? page.metadata : {};
  return {
    objects: items.map(ownedObject).filter((object) => object !== undefined && isOwned(object)) as OwnedObject[],
    resourceVersion: wordOf(metadata.resourceVersion),
    next: wordOf(metadata.continue),
  };
}

/** Whether the object may have to go because of others, or others because of it. */
export const isOwned = ({ deleting, owners }: OwnedObject): boolean => deleting || owners.length > 0;

/** Members of a wrong type are passed over. @returns undefined for what is no object */
export function ownedObject(value: unknown): OwnedObject | undefined {
  if (!isMembers(value) || !isMembers(value.metadata)) return undefined;
  const { namespace, name, uid, resourceVersion, deletionTimestamp, deletionGracePeriodSeconds, ownerReferences, finalizers } =
    value.metadata;
  return {
    namespace: wordOf(namespace),
    name: wordOf(name),
    uid: wordOf(uid),
    resourceVersion: wordOf(resourceVersion),
    deleting: typeof deletionTimestamp === 'string',
    grace: typeof deletionGracePeriodSeconds === 'number' ? deletionGracePeriodSeconds : 0,
    owners: listOf(ownerReferences).filter(isReference),
    finalizers: listOf(finalizers).filter((each) => typeof each === 'string'),
  };
}

const WORDS: readonly (keyof OwnerReference)[] = ['apiVersion', 'kind', 'name', 'uid'];

const isReference = (value: unknown): value is OwnerReference =>
  isMembers(value) && WORDS.every((each) => typeof (value as Members)[each] === 'string');
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const wordOf = (value: unknown): string => (typeof value === 'string' ? value : '');
