/** What traces say of writes of objects to the store: the events of 1.32, by whose names the store is etcd. */
import type { Span } from '../../contract/trace.ts';
import { StorageError, StorageUnwritable, ValueUnencryptable } from '../../storage/errors.ts';
import type { StoredBytes } from '../../storage/storage.ts';
import { withinPart } from '../../storage/traced-part.ts';

/** Events that come before and after what the store does, the value being encrypted where values are. */
export interface WriteEvents {
  readonly prepared: readonly string[];
  readonly answered: readonly string[];
}

export const CREATION: WriteEvents = { prepared: ['TransformToStorage succeeded'], answered: ['Txn call succeeded'] };
export const UPDATE: WriteEvents = {
  prepared: ['TransformToStorage succeeded', 'Transaction prepared'],
  answered: ['Txn call completed', 'Transaction committed'],
};

/** @throws what `encode` throws */
export async function tracedEncoding(span: Span, encode: () => StoredBytes | Promise<StoredBytes>): Promise<StoredBytes> {
  span.event('About to Encode');
  try {
    const value = await encode();
    span.event('Encode succeeded', { len: value.bytes.length });
    return value;
  } catch (error) {
    span.event('Encode failed', { len: 0, err: (error as Error).message });
    throw error;
  }
}

/** @returns the revision. @throws what `write` throws */
export async function tracedWrite(span: Span, { prepared, answered }: WriteEvents, write: () => Promise<number>): Promise<number> {
  const writing = withinPart(span, write);
  // what is encrypted at all is when the call returns; whether it could be is known later
  const called = performance.now();
  const tellPrepared = (): void => {
    for (const name of prepared) span.event(name, undefined, called);
  };
  try {
    const revision = await writing;
    tellPrepared();
    for (const name of answered) span.event(name);
    return revision;
  } catch (error) {
    const err = (error as Error).message;
    if (error instanceof ValueUnencryptable) span.event('TransformToStorage failed', { err }, called);
    else {
      tellPrepared();
      if (isAnswer(error)) for (const name of answered) span.event(name);
      else span.event('Txn call failed', { err });
    }
    throw error;
  }
}

/** Whether the store has said that what is there is not what was expected, which is no failure of the store's. */
const isAnswer = (error: unknown): boolean => error instanceof StorageError && !(error instanceof StorageUnwritable);

/** Says that what was stored was read again, as 1.32 does before it answers. @param len bytes of it */
export function tellReadBack(span: Span | undefined, len: number): void {
  span?.event('decode succeeded', { len });
}
