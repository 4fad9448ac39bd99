/** What errors of the store are for the clients of an object. */
import {
  type GroupResource,
  newConflict,
  newNotFound,
  newServiceUnavailable,
  newTimeout,
  newTooLarge,
  OBJECT_MODIFIED,
  type StatusError,
} from '../../status/status.ts';
import {
  Conflict,
  GuardBroken,
  KeyNotFound,
  StorageFull,
  StorageUnreachable,
  StorageUnwritable,
  ValueTooLarge,
} from '../../storage/errors.ts';

/** @param name of the object. @returns what is none of the store's as it is */
export function apiErrorOf(error: unknown, resource: GroupResource, name: string): unknown {
  if (error instanceof KeyNotFound) return newNotFound(resource, name);
  if (error instanceof Conflict || error instanceof GuardBroken) return newConflict(resource, name, OBJECT_MODIFIED);
  if (error instanceof StorageUnreachable) return unreachableError(error);
  if (error instanceof StorageUnwritable && error.outcomeUnknown)
    return newTimeout(`it is not known whether that was written: the disk of the store fails${withCode(error)}`);
  if (error instanceof StorageFull) return newServiceUnavailable('the store is full: nothing can be written until space is freed');
  if (error instanceof ValueTooLarge) return newTooLarge(error.message);
  if (error instanceof StorageUnwritable) return newServiceUnavailable(`the store cannot be written: its disk fails${withCode(error)}`);
  return error;
}

/** Also for who only reads: what is here may not be the most recent state. */
export function unreachableError({ message, outcomeUnknown }: StorageUnreachable): StatusError {
  if (outcomeUnknown) return newTimeout(`the store has not answered, so it is not known whether that was written: ${message}`);
  return newServiceUnavailable(`the store cannot be reached: ${message}`);
}

const withCode = ({ code }: StorageUnwritable): string => (code === undefined ? '' : ` (${code})`);

/**
 * 1.32 tells this as an error of its store, with the key that the object has in etcd where nothing else is asked for.
 * @param key of the store. @param sent the uid that the client means. @param actual '' where nothing is stored
 */
export function newUidConflict(resource: GroupResource, name: string, key: string, sent: string, actual: string): StatusError {
  const problem = `Precondition failed: UID in precondition: ${sent}, UID in object meta: ${actual}`;
  const cause = `StorageError: invalid object, Code: 4, Key: /registry/${key}, ResourceVersion: 0, AdditionalErrorMsg: ${problem}`;
  return newConflict(resource, name, cause);
}

/** Whether another writer was faster: the object is another one by now, or gone. */
export const isOvertaken = (error: unknown): boolean => error instanceof KeyNotFound || error instanceof Conflict;
