/** Turns values of etcd into versions of this store. */
import type { Flaw, VersionValue } from '../memory/memory-data.ts';
import { fillRevision } from '../storage.ts';
import { ValueUntransformable } from './encryption/value-transformers.ts';
import type { ReadValue, ValueCodec } from './value-codec.ts';

const EMPTY = Buffer.alloc(0);

/** @returns the version to store here; for a value that cannot be read, one that says what is wrong with it */
export function readVersion(codec: ValueCodec, key: string, value: Uint8Array, revision: number): VersionValue | Promise<VersionValue> {
  try {
    const read = codec.fromEtcd(key, value);
    if (!(read instanceof Promise)) return versionOf(read, revision);
    return read.then((late) => versionOf(late, revision), unreadable);
  } catch (error) {
    return unreadable(error);
  }
}

/** Makes a version of a value that was read, and fills its revision in. */
export function versionOf({ bytes, revisionOffset, outdated }: ReadValue, revision: number): VersionValue {
  if (revisionOffset >= 0) fillRevision(bytes, revisionOffset, revision);
  return { value: bytes, revisionOffset, flaw: outdated === undefined ? undefined : OUTDATED };
}

const OUTDATED: Flaw = { outdated: true };

function unreadable(error: unknown): VersionValue {
  const reason = error instanceof Error ? error.message : String(error);
  const flaw = error instanceof ValueUntransformable ? { cipherProblem: reason } : { damage: reason };
  return { value: EMPTY, revisionOffset: -1, flaw };
}

/** The version that watches show for a deletion, as kube-apiserver does: the last value, with the revision of the deletion. */
export function removedVersion({ value, revisionOffset, flaw }: VersionValue, revision: number): VersionValue {
  const bytes = Buffer.from(value);
  if (revisionOffset >= 0) fillRevision(bytes, revisionOffset, revision);
  return { value: bytes, revisionOffset, flaw };
}

/** Whether the value could not be read. */
export const isUnreadable = ({ flaw }: VersionValue): boolean => flaw !== undefined && !('outdated' in flaw);
