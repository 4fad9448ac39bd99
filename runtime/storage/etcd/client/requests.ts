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
  /** whether the answer may have the member's own state, which may be old; otherwise it has everything that was written before the request */
  readonly serializable?: boolean;
}

export interface Found {
  /** the keys and values in the order of the keys */
  readonly kvs: readonly KeyValue[];
  /** whether the limit has left some out */
  readonly more: boolean;
  /** the number of all keys in the range, whatever the limit */
  readonly count: number;
}

export interface RangeResult extends Found {
  /** the revision of the store when it answered, even if the request has another `revision` */
  readonly revision: number;
  /** the id of the cluster */
  readonly clusterId: bigint;
}

/** A condition on a key, for a transaction. Exactly one member is set; 0 means that the key does not exist. */
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
  /** the revision of the store after the transaction, which is that of its changes if it has changed something */
  readonly revision: number;
  /** a response for each operation that was done, in their order */
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
  /** the key and its new value; for a deletion, only the key and, as `modRevision`, the revision are set */
  readonly kv: KeyValue;
  /** the key and its value before; undefined if it did not exist, if the watch does not request that, and if it was compacted */
  readonly previous: KeyValue | undefined;
}

/** What a watch calls, in the order in which etcd tells things. An error that a function throws ends the watch. */
export interface WatchListener {
  /** Is called once, as the first call. @param revision the revision of the store then; without a `startRevision`, the watch tells the changes after it */
  created(revision: number): void;
  /**
   * Is called with events.
   * @param events at least one, in the order of their revisions; all events of a revision come in one call
   * @param headerRevision the revision of the store when etcd sent them; more events up to it may follow
   */
  events(events: readonly EtcdEvent[], headerRevision: number): void;
  /** Every event up to this revision has been told. */
  progress(revision: number): void;
  /**
   * The revision from which events were asked for, or up to which they had been told, is gone: `ended` follows, with an error that says so.
   * @param compactRevision the first that is still known
   */
  compacted(compactRevision: number): void;
  /** Once, last: the watch does not go on by itself, and another one may be begun behind the last revision that was told. Not called after `cancel`. */
  ended(error: Error): void;
}

export interface EtcdWatch {
  /** Asks for `progress`. etcd answers where it has told everything, and otherwise not at all: who waits asks again. */
  requestProgress(): void;
  /** Ends it: the listener is not called again. */
  cancel(): void;
  /**
   * Reads no more from the connection, so that etcd keeps what happens to itself; about twenty answers that were read before are told after `resume`. Its end
   * is told all the same.
   */
  pause(): void;
  resume(): void;
}

export interface EtcdStatus {
  readonly version: string;
  /** the bytes of the file of the store, at the member that answered */
  readonly dbSize: number;
  /** the bytes that are in use in the file */
  readonly dbSizeInUse: number;
  /** the id of the member that is the leader; 0 if there is none */
  readonly leader: bigint;
  readonly memberId: bigint;
  readonly clusterId: bigint;
  readonly raftTerm: bigint;
  readonly isLearner: boolean;
  /** problems that the member reports, such as alarms */
  readonly errors: readonly string[];
}

export interface EtcdAlarm {
  readonly memberId: bigint;
  /** NOSPACE: nothing is written; CORRUPT: members differ; a number that is none of these by itself */
  readonly alarm: 'NOSPACE' | 'CORRUPT' | number;
}
