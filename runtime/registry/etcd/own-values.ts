/**
 * What this server keeps in its store besides objects: records of addresses and ports given out, notes of what a start has done, and what others wait for. In etcd
 * a mark stands before each, so that nobody takes one for an object, whatever is in it.
 *
 * Their keys are below `defaults/`, `guards/`, `ranges/serviceips/` and `ranges/servicenodeports/`. kube-apiserver reads nothing there: it has objects below the
 * prefixes of resources, and of `ranges/` just the two keys `ranges/serviceips` and `ranges/servicenodeports`.
 */
import type { StoredBytes } from '../../storage/storage.ts';
import { isStoredObject } from '../stored-objects/stored-object.ts';
import { OWN_MARK } from './value-form.ts';

export const ownToEtcd = (value: Buffer): Buffer => Buffer.concat([OWN_MARK, value]);

/** @param value with its mark. @throws Error for what would be taken for an object here, which this server has not written */
export function ownFromEtcd(value: Buffer): StoredBytes {
  return asItIs(value.subarray(OWN_MARK.length));
}

/** @returns a copy. @throws as `ownFromEtcd` */
export function asItIs(value: Buffer): StoredBytes {
  if (isStoredObject(value)) throw new Error('it looks like an object as only memory of this server has it: somebody else has written it');
  return { bytes: Buffer.from(value), revisionOffset: -1 };
}
