/** What errors of etcd are for who uses the store. */
import { StorageEnded, StorageFull, StorageUnreachable, ValueTooLarge } from '../errors.ts';
import { EtcdError } from './client/etcd-error.ts';
import { OtherPast } from './etcd-past.ts';

/** @returns what is none of etcd's as it is */
export function storageErrorOf(error: unknown): unknown {
  if (error instanceof OtherPast) return new StorageEnded(error.message, { cause: error });
  if (!(error instanceof EtcdError)) return error;
  if (error.isNoSpace) return new StorageFull(`etcd takes no more: ${error.message}`, { cause: error });
  if (error.isTooLarge) return new ValueTooLarge(error.message, { cause: error });
  return new StorageUnreachable(error.message, { cause: error, outcomeUnknown: error.outcomeUnknown });
}

/** Of what etcd has written. @throws StorageUnreachable, StorageEnded */
export function notSeen(error: unknown): never {
  if (error instanceof StorageUnreachable) throw new StorageUnreachable(error.message, { outcomeUnknown: true });
  throw storageErrorOf(error);
}

/** As `translated`, of a call that writes nothing, of which nothing can be unknown. */
export async function translatedRead<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (thrown) {
    const error = storageErrorOf(thrown);
    throw error instanceof StorageUnreachable ? new StorageUnreachable(error.message, { cause: thrown }) : error;
  }
}

/** @throws what `storageErrorOf` makes of what the call throws */
export async function translated<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    throw storageErrorOf(error);
  }
}
