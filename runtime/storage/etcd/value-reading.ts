/** Values of etcd as versions of this store. */
import type { Flaw, VersionValue } from '../memory/memory-data.ts';
import { fillRevision } from '../storage.ts';
import { ValueUntransformable } from './encryption/value-transformers.ts';
import type { ReadValue, ValueCodec } from './value-codec.ts';

const EMPTY = Buffer.alloc(0);

/** @returns what is stored here; a value that cannot be read is told by its flaw */
export function readVersion(codec: ValueCodec, key: string, value: Uint8Array, revision: number): VersionValue | Promise<VersionValue> {
  try {
    const read = codec.fromEtcd(key, value);
    if (!(read instanceof Promise)) return versionOf(read, revision);
    return read.then((late) => versionOf(late, revision), unreadable);
  } catch (error) {
    return unreadable(error);
  }
}

/** Bytes with their revision filled in. */
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

/** What followers see of the removal of a version, as kube-apiserver shows it: what it was, at the revision of the removal. */
export function removedVersion({ value, revisionOffset, flaw }: VersionValue, revision: number): VersionValue {
  const bytes = Buffer.from(value);
  if (revisionOffset >= 0) fillRevision(bytes, revisionOffset, revision);
  return { value: bytes, revisionOffset, flaw };
}

/** Whether nobody can read the value at present. */
export const isUnreadable = ({ flaw }: VersionValue): boolean => flaw !== undefined && !('outdated' in flaw);
