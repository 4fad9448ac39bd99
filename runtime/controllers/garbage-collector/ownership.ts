/** What the garbage collector must know of an object, read out of its stored bytes without parsing the rest. */
import type { OwnerReference } from '../../contract/object.ts';
import type { StoredObject } from '../../registry/stored-object.ts';
import { parseNativeJson } from '../../schema/native-json.ts';

export interface Ownership {
  readonly uid: string;
  readonly resourceVersion: string;
  readonly deleting: boolean;
  /** seconds that the object still has once it is deleted */
  readonly grace: number;
  readonly owners: readonly OwnerReference[];
  readonly finalizers: readonly string[];
}

// Inside of JSON strings a quote is escaped: these bytes are members and nothing else.
const UID = '"uid":"';
const OWNERS = '"ownerReferences":[';
const MANAGED_FIELDS = ',"managedFields":[';
const QUOTE = 0x22;

/** Whether an object may have owners, or asks for something with its deletion: all others are of no interest. Cheap. */
export function isOwnedOrDeleting(stored: StoredObject): boolean {
  return stored.deleting || (!stored.unowned && stored.metadata.indexOf(OWNERS, 0, 'latin1') >= 0);
}

/** The object's own uid stands before those of its owners. */
export function readUid(stored: StoredObject): string {
  const { metadata } = stored;
  const start = metadata.indexOf(UID, 0, 'latin1') + UID.length;
  return metadata.toString('latin1', start, metadata.indexOf(QUOTE, start));
}

export function readOwnership(stored: StoredObject): Ownership {
  const {
    uid,
    resourceVersion,
    deletionGracePeriodSeconds: grace = 0,
    ownerReferences: owners = [],
    finalizers = [],
  } = readMetadata(stored);
  return { uid, resourceVersion, deleting: stored.deleting, grace, owners, finalizers };
}

interface StoredMetadata {
  readonly uid: string;
  readonly resourceVersion: string;
  readonly deletionGracePeriodSeconds?: number;
  readonly ownerReferences?: readonly OwnerReference[];
  readonly finalizers?: readonly string[];
}

/** Metadata without the managed fields, which stand last and are most of it. */
function readMetadata(stored: StoredObject) {
  const { metadata } = stored;
  const end = metadata.indexOf(MANAGED_FIELDS, 0, 'latin1');
  return parseNativeJson<StoredMetadata>(end < 0 ? metadata.toString('utf8') : `${metadata.toString('utf8', 0, end)}}`);
}
