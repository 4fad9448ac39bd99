/** Objects that were read from etcd, as bytes of this store. */
import type { ApiObject } from '../../contract/object.ts';
import type { StoredBytes } from '../../storage/storage.ts';
import { LONG_LENGTH } from '../stored-objects/byte-builder.ts';
import { encodeStoredObject, type MetadataOrder } from '../stored-objects/stored-object.ts';
import { storableEntries } from './managed-sets.ts';

/** The most bytes in UTF-8 of a UTF-16 code unit. */
const BYTES_PER_UNIT = 3;

const NONE: object[] = [];

/**
 * @param object read, whose metadata are of their type; its managedFields are replaced
 * @throws Error for what a stored object has no room for, and nothing has that 1.32 takes
 */
export function encodeReadObject(object: ApiObject, schemaHash: number, fields: readonly string[], order: MetadataOrder): StoredBytes {
  const { metadata } = object;
  for (const key in metadata.labels)
    if (isTooLong(key) || isTooLong(metadata.labels[key] as string)) throw new Error('it has a label of 64 KB and more');
  const entries = metadata.managedFields === undefined ? NONE : storableEntries(metadata.managedFields);
  if (entries.length > 0) metadata.managedFields = entries;
  else delete metadata.managedFields;
  return encodeStoredObject(object, schemaHash, fields, order);
}

const isTooLong = (text: string): boolean => text.length * BYTES_PER_UNIT >= LONG_LENGTH && Buffer.byteLength(text) >= LONG_LENGTH;

/** @param what that somebody wanted to read, such as `v1 Pod` */
export function unreadable(what: string, error: unknown): Error {
  return new Error(`${what} cannot be read: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
}
