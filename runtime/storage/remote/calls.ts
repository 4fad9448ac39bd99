/** What threads say to each other where one of them has the store and the other one asks it. */
import type { MessagePort } from 'node:worker_threads';
import * as errors from '../errors.ts';
import { StorageError } from '../errors.ts';
import type { Change, Entry, Guard, StoredBytes } from '../storage.ts';

/** What the thread that asks gets at its start. */
export interface RemoteStoreData {
  /** the port for calls that are waited for without the event loop */
  readonly reads: MessagePort;
  /** one number, which changes with each answer */
  readonly answered: Int32Array;
  readonly writes: MessagePort;
}

/** Reads, by name. Values that are there as `Uint8Array` are the receiver's own. */
export interface ReadCalls {
  currentRevision(): number;
  settledRevision(): number;
  compactedRevision(): number;
  revisionOf(key: string): number | undefined;
  mostBytesOf(key: string): number;
  get(key: string, atRevision?: number): FarEntry | undefined;
  count(options: { start: string; end: string; atRevision?: number }): number;
  /** some of the entries, from the first one on; `revision` is at which the next ones are to be read */
  entries(options: EntriesOptions): { readonly entries: readonly FarEntry[]; readonly revision: number; readonly more: boolean };
  changes(after: number, prefix: string, limit: number): { readonly changes: readonly FarChange[]; readonly more: boolean };
}

export interface EntriesOptions {
  readonly start: string;
  readonly end: string;
  readonly atRevision?: number;
  readonly limit: number;
  readonly requirements?: readonly (readonly string[])[];
}

export interface FarEntry extends Omit<Entry, 'value'> {
  readonly value: Uint8Array<ArrayBuffer>;
}

export interface FarChange extends Omit<Change, 'value' | 'previousValue'> {
  readonly value: Uint8Array<ArrayBuffer>;
  /** whether there is a previous value: who wants it asks for it */
  readonly hasPrevious: boolean;
}

/** Writes, by name. What they resolve with is undefined where that is nothing. */
export interface WriteCalls {
  create(key: string, value: FarBytes, guard?: Guard): Promise<number>;
  update(key: string, expectedRevision: number, value: FarBytes, guard?: Guard): Promise<number>;
  delete(key: string, expectedRevision: number, lastValue: FarBytes): Promise<number>;
  probe(): Promise<void>;
  barrier(): Promise<void>;
  compact(revision: number): Promise<void>;
}

export interface FarBytes extends Omit<StoredBytes, 'bytes' | 'object'> {
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** A call on either port. */
export interface Call {
  /** the number by which the outcome of a write is known */
  readonly id: number;
  readonly method: string;
  readonly args: readonly unknown[];
  /** the id of the part of a trace that the call belongs to; absent if there is none */
  readonly part?: string;
}

/** What became of a call. */
export interface Outcome {
  readonly id: number;
  readonly value?: unknown;
  readonly failure?: Failure;
}

/** Tells of a commit. */
export interface Commit {
  readonly committed: number;
}

/** An error on its way to another thread, which makes one of the same class of it. */
export interface Failure {
  readonly name: string;
  readonly message: string;
  readonly members: object;
}

export function failureOf(error: unknown): Failure {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error), members: {} };
  return { name: error.name, message: error.message, members: error instanceof StorageError ? { ...error } : {} };
}

const CLASSES: Readonly<Record<string, { readonly prototype: Error }>> = { ...errors, RangeError };

export function errorOf({ name, message, members }: Failure): Error {
  const of = Object.hasOwn(CLASSES, name) ? CLASSES[name] : undefined;
  const error = new Error(message);
  if (of !== undefined) Object.setPrototypeOf(error, of.prototype);
  return Object.assign(error, members);
}

/** Bytes of their own, which may go to another thread. */
export const ownBytes = (bytes: Uint8Array): Uint8Array<ArrayBuffer> => new Uint8Array(bytes);
