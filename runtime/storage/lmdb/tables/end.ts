import { constants } from 'node:os';
import { StorageEnded } from '../../errors.ts';
import { noteFailedHead } from '../pages/failed-head.ts';
import { type NativeRoot, NOTE, resetTxn } from './native-root.ts';
import type { NativeTransaction } from './table.ts';

/**
 * The end of LMDB in this process. An error that left its head in doubt brings it: LMDB begins no transaction from then on, which lmdb does not look at, so
 * that a write transaction of lmdb's thread is never over, and one of this thread waits for that, or goes on without any. A transaction that does not end
 * brings it, too.
 */
export class End {
  readonly #root: NativeRoot;
  readonly #transaction: NativeTransaction;
  readonly #file: string;
  #error: unknown;

  /** @param transaction for reading. @param file of LMDB */
  constructor(root: NativeRoot, transaction: NativeTransaction, file: string) {
    this.#root = root;
    this.#transaction = transaction;
    this.#file = file;
  }

  get hasCome(): boolean {
    return this.#error !== undefined;
  }

  /** @param error of a write transaction, which may have been the end */
  look(error: unknown): void {
    if (this.hasCome || this.#isReadable()) return;
    this.#error = error;
    noteFailedHead(this.#file);
  }

  /** Ends LMDB because of a write transaction that never ends. @returns the error that has ended LMDB */
  ofTransaction(): Error {
    // whoever writes is told of a disk that fails, which is what keeps a transaction for so long
    this.#error ??= Object.assign(new Error('a transaction of LMDB has not ended'), { code: constants.errno.EIO });
    return this.#error as Error;
  }

  /** @param error of a read. @returns it, or that the end has come, which LMDB's thread may not have told yet */
  explain(error: unknown): unknown {
    if (typeof (error as { code?: unknown }).code !== 'number' || this.#isReadable()) return error;
    return new StorageEnded(`${this.#file} is not read any more, for its head could not be written`, { cause: error });
  }

  /** @throws what was the end */
  assertNone(): void {
    if (this.hasCome) throw this.#error;
  }

  #isReadable(): boolean {
    try {
      resetTxn(this.#transaction.address);
      this.#root.getBinaryFast(NOTE, { transaction: this.#transaction });
      return true;
    } catch {
      return false;
    } finally {
      resetTxn(this.#transaction.address);
    }
  }
}
