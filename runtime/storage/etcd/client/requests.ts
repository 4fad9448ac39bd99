/** What is asked of etcd, and what it answers. Keys are texts, in UTF-8, or bytes; revisions are integers from 1 on. */

export type Key = string | Uint8Array;

/** A key as it was at one revision. The bytes are a part of the answer's own: who keeps few of many copies them. Nobody changes them. */
export interface KeyValue {
  readonly key: Buffer;
  readonly value: Buffer;
  readonly createRevision: number;
  readonly modRevision: number;
  /** 1 for a key that was created, one more for each change */
  readonly version: number;
  /** 0 for none */
  readonly lease: bigint;
}

export interface RangeRequest {
  readonly key: Key;
  /** the first key behind the range; absent for the one key. A zero byte is all from `key` on */
  readonly end?: Key;
  /** absent for the newest. One that was compacted, or is yet to come, is an EtcdError of that kind */
  readonly revision?: number;
  /** how many at most; absent for all */
  readonly limit?: number;
  readonly keysOnly?: boolean;
  readonly countOnly?: boolean;
  /** of the member's own state, which may be old; otherwise the answer has all that was written before the request */
  readonly serializable?: boolean;
}

export interface Found {
  /** by their keys */
  readonly kvs: readonly KeyValue[];
  /** whether the limit left some out */
  readonly more: boolean;
  /** of all in the range, whatever the limit */
  readonly count: number;
}

export interface RangeResult extends Found {
  /** of the store when it answered: with `revision` in the request not that one */
  readonly revision: number;
  /** whose store it is */
  readonly clusterId: bigint;
}

/** What holds of a key, before a transaction; 0 says that the key is not there. Exactly one is stated. */
export type Compare = { readonly key: Key } & (
  | { readonly modRevision: number }
  | { readonly createRevision: number }
  | { readonly version: number }
);

export type Op =
  | { readonly op: 'put'; readonly key: Key; readonly value: Uint8Array; readonly lease?: bigint }
  /** up to `end`, which is not deleted; absent for the one key */
  | { readonly op: 'delete'; readonly key: Key; readonly end?: Key }
  | ({ readonly op: 'range' } & RangeRequest);

export interface TransactionRequest {
  readonly compare: readonly Compare[];
  /** done, as one, where all compares hold. No key may be put twice */
  readonly success: readonly Op[];
  /** done, as one, where one does not hold */
  readonly failure: readonly Op[];
}

export type OpResult = { readonly op: 'put' } | { readonly op: 'delete'; readonly deleted: number } | ({ readonly op: 'range' } & Found);

export interface TransactionResult {
  /** whether the compares held */
  readonly succeeded: boolean;
  /** of the store behind the transaction: that of its changes, where it changed something */
  readonly revision: number;
  /** one for each operation that was done, in their order */
  readonly responses: readonly OpResult[];
}

export interface CallLimits {
  /** milliseconds until the call fails with DEADLINE_EXCEEDED; the client's own by default */
  readonly timeout?: number;
}

export interface WatchRequest {
  readonly key: Key;
  /** the first key behind the range; absent for the one key */
  readonly end?: Key;
  /** the first that is told; absent for what comes from now on */
  readonly startRevision?: number;
  /** tell of each event what the key was before, as far as that is still known */
  readonly previousValues: boolean;
  /** have large answers come in parts: as a whole they are only bounded by what happened */
  readonly fragment: boolean;
  /** have etcd tell the revision from time to time (by default every ten minutes) where nothing happens */
  readonly progressNotify: boolean;
}

export interface EtcdEvent {
  readonly type: 'put' | 'delete';
  /** of a deletion the key and, as `modRevision`, the revision; all else is empty or 0 */
  readonly kv: KeyValue;
  /** as the key was before; absent where it was not there, where that is not asked for, and where it was compacted */
  readonly previous: KeyValue | undefined;
}

/** Called in the order in which etcd tells things, each time in a turn of its own or behind the one before; what a function throws ends the watch with that error. */
export interface WatchListener {
  /** Once, first. @param revision of the store then: without a `startRevision` what comes behind it is told */
  created(revision: number): void;
  /**
   * @param events at least one, by ascending revision; a revision's events come all in one call
   * @param headerRevision of the store when etcd sent them: more events up to it may follow
   */
  events(events: readonly EtcdEvent[], headerRevision: number): void;
  /** Every event up to this revision has been told. */
  progress(revision: number): void;
  /** The revision from which events were asked for, or up to which they had been told, is gone: `ended` follows, with an error that says so. @param compactRevision the first that is still known */
  compacted(compactRevision: number): void;
  /** Once, last: the watch does not go on by itself, and another one may be begun behind the last revision that was told. Not called after `cancel`. */
  ended(error: Error): void;
}

export interface EtcdWatch {
  /** Asks for `progress`. etcd answers where it has told everything, and otherwise not at all: who waits asks again. */
  requestProgress(): void;
  /** Ends it: the listener is not called again. */
  cancel(): void;
  /** Reads no more from the connection, so that etcd keeps what happens to itself; about twenty answers that were read before are told after `resume`. Its end is told all the same. */
  pause(): void;
  resume(): void;
}

export interface EtcdStatus {
  readonly version: string;
  /** of the member that answered, in bytes: the file of its store, and what is in use in it */
  readonly dbSize: number;
  readonly dbSizeInUse: number;
  /** id of a member; 0 where there is none */
  readonly leader: bigint;
  readonly memberId: bigint;
  readonly clusterId: bigint;
  readonly raftTerm: bigint;
  readonly isLearner: boolean;
  /** what the member says is wrong, such as an alarm */
  readonly errors: readonly string[];
}

export interface EtcdAlarm {
  readonly memberId: bigint;
  /** NOSPACE: nothing is written; CORRUPT: members differ; a number that is none of these by itself */
  readonly alarm: 'NOSPACE' | 'CORRUPT' | number;
}
