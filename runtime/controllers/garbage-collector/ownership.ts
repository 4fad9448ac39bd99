/** What the garbage collector must know of an object, read out of its stored bytes without parsing the rest. */
import type { OwnerReference } from '../../contract/object.ts';
import { FOREGROUND_FINALIZER, ORPHAN_FINALIZER } from '../../registry/resource-store/deletion.ts';
import { READ_AT_ONCE, readSlices } from '../../registry/stored-objects/sliced-reading.ts';
import type { StoredObject } from '../../registry/stored-objects/stored-object.ts';
import { elementsOf, memberOf } from '../../schema/json/json-members.ts';
import { parseNativeJson } from '../../schema/json/native-json.ts';

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

/** Reads the uid of an object without parsing it: its own uid comes before those of its owners. */
export function readUid(stored: StoredObject): string {
  const { metadata } = stored;
  const start = metadata.indexOf(UID, 0, 'latin1') + UID.length;
  return metadata.toString('latin1', start, metadata.indexOf(QUOTE, start));
}

export const readOwnership = (stored: StoredObject): Ownership => ownershipOf(stored, readMetadata(stored));

/** Does the same as `readOwnership` in pieces. */
export function* ownershipSlices(stored: StoredObject): Generator<void, Ownership, void> {
  const { metadata } = yield* readSlices(stored.json, NONE);
  return ownershipOf(stored, metadata as unknown as StoredMetadata);
}

/** Whether reading what it has takes long. */
export const isLongOwnership = (stored: StoredObject): boolean => stored.metadata.length > READ_AT_ONCE;

const NONE: readonly string[] = [];

function ownershipOf(
  { deleting }: StoredObject,
  { uid, resourceVersion, deletionGracePeriodSeconds: grace = 0, ownerReferences: owners = [], finalizers = [] }: StoredMetadata,
): Ownership {
  return { uid, resourceVersion, deleting, grace, owners, finalizers };
}

/** What dependents must know of an owner. */
export interface OwnerState {
  readonly uid: string;
  readonly deleting: boolean;
  /** the finalizers about dependents for which its deletion waits */
  readonly finalizers: readonly string[];
}

/** Reads the state of an owner, which is quick even for a long object. */
export function readOwnerState(stored: StoredObject): OwnerState {
  const { deleting, metadata } = stored;
  const uid = readUid(stored);
  if (!deleting) return { uid, deleting, finalizers: NONE };
  const list = memberOf(metadata, 'finalizers');
  const finalizers: string[] = [];
  for (const { start, end } of list === undefined ? [] : elementsOf(metadata, list.start)) {
    const finalizer = metadata.toString('latin1', start + 1, end - 1);
    if (DEPENDENTS.has(finalizer)) finalizers.push(finalizer);
  }
  return { uid, deleting, finalizers };
}

const DEPENDENTS: ReadonlySet<string> = new Set([ORPHAN_FINALIZER, FOREGROUND_FINALIZER]);

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

/** Marked, with nothing left to wait for: the server went down between the marks and the removal, or is about to remove it. */
export function isUnfinished({ deleting, grace, finalizers }: Ownership): boolean {
  return deleting && grace === 0 && finalizers.length === 0;
}
