/** Translates errors of etcd into those of the store. */
import { StorageEnded, StorageFull, StorageUnreachable, ValueTooLarge } from '../errors.ts';
import { EtcdError } from './client/etcd-error.ts';
import { OtherPast } from './etcd-past.ts';

/** @returns the error of the store; an error that is not etcd's is returned as it is */
export function storageErrorOf(error: unknown): unknown {
  if (error instanceof OtherPast) return new StorageEnded(error.message, { cause: error });
  if (!(error instanceof EtcdError)) return error;
  if (error.isNoSpace) return new StorageFull(`etcd takes no more: ${error.message}`, { cause: error });
  if (error.isTooLarge) return new ValueTooLarge(error.message, { cause: error });
  return new StorageUnreachable(error.message, { cause: error, outcomeUnknown: error.outcomeUnknown });
}

/** Called when a write succeeded, but did not arrive here. @throws StorageUnreachable, StorageEnded */
export function notSeen(error: unknown): never {
  if (error instanceof StorageUnreachable) throw new StorageUnreachable(error.message, { outcomeUnknown: true });
  throw storageErrorOf(error);
}

/** Does the same as `translated` for a call that writes nothing, so that its outcome is never unknown. */
export async function translatedRead<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (thrown) {
    const error = storageErrorOf(thrown);
    throw error instanceof StorageUnreachable ? new StorageUnreachable(error.message, { cause: thrown }) : error;
  }
}

/** @throws the call's error, translated by `storageErrorOf` */
export async function translated<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    throw storageErrorOf(error);
  }
}
