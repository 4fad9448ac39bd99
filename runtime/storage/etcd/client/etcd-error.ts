/** A failed call to etcd. This file loads nothing of gRPC, so that code which only tells errors apart can import it. */

/** Names of gRPC's codes, such as UNAVAILABLE. */
export type EtcdErrorCode =
  | 'CANCELLED'
  | 'UNKNOWN'
  | 'INVALID_ARGUMENT'
  | 'DEADLINE_EXCEEDED'
  | 'NOT_FOUND'
  | 'ALREADY_EXISTS'
  | 'PERMISSION_DENIED'
  | 'RESOURCE_EXHAUSTED'
  | 'FAILED_PRECONDITION'
  | 'ABORTED'
  | 'OUT_OF_RANGE'
  | 'UNIMPLEMENTED'
  | 'INTERNAL'
  | 'UNAVAILABLE'
  | 'DATA_LOSS'
  | 'UNAUTHENTICATED';

export interface EtcdErrorOptions {
  /** the request certainly was not sent */
  readonly unsent?: boolean;
  /** the first revision that is still known, if the first one of a watch was compacted */
  readonly compactRevision?: number;
}

/** With these codes etcd, or a proxy before it, refuses a request before any of it is done. */
const REFUSALS: ReadonlySet<EtcdErrorCode> = new Set([
  'INVALID_ARGUMENT',
  'NOT_FOUND',
  'ALREADY_EXISTS',
  'PERMISSION_DENIED',
  'FAILED_PRECONDITION',
  'OUT_OF_RANGE',
  'UNIMPLEMENTED',
  'UNAUTHENTICATED',
]);
/** With these codes the server cannot answer, or its state is not known. */
const UNREACHED: ReadonlySet<EtcdErrorCode> = new Set(['UNAVAILABLE', 'DEADLINE_EXCEEDED', 'CANCELLED', 'INTERNAL', 'UNKNOWN', 'ABORTED']);
/** Texts for requests that etcd has not begun: there is no leader, or soon another one; the member is a learner; too many requests wait; the message is too large. The text for a full store is not among them, because etcd also uses it for some requests that were done. */
const NOT_BEGUN =
  /^etcdserver: (?:no leader|not leader|rpc not supported for learner|too many requests|corrupt cluster)|^raft proposal dropped$|^grpc: received message larger than max/;
/** Passing states that have other codes: a member that has no vote yet answers nothing; or the rights of clients changed during the request. */
const PASSING: ReadonlySet<string> = new Set(['etcdserver: rpc not supported for learner', 'etcdserver: revision of auth store is old']);
const COMPACTED = 'mvcc: required revision has been compacted';
const FUTURE = 'mvcc: required revision is a future revision';
const TOO_LARGE =
  /^etcdserver: (?:request is too large|too many operations in txn request)|^grpc: received message (?:after decompression )?larger than max/;

export class EtcdError extends Error {
  override readonly name = 'EtcdError';
  readonly code: EtcdErrorCode;
  /** the message of etcd or of the connection, without a code */
  readonly details: string;
  /** the request was not sent, and never will be */
  readonly unsent: boolean;
  /** the first revision that is still known, if the next one of a watch was compacted */
  readonly compactRevision: number | undefined;

  constructor(code: EtcdErrorCode, details: string, { unsent = false, compactRevision }: EtcdErrorOptions = {}) {
    super(`etcd: ${code}: ${details}`);
    this.code = code;
    this.details = details;
    this.unsent = unsent;
    this.compactRevision = compactRevision;
  }

  /** Whether the request may have been done, or may still be. If false, it was not done and never will be. */
  get outcomeUnknown(): boolean {
    return !(this.unsent || REFUSALS.has(this.code) || NOT_BEGUN.test(this.details));
  }

  /** etcd was not reached, did not answer in time, or cannot answer now. A read may be repeated later; for a write see `outcomeUnknown`. */
  get isUnavailable(): boolean {
    return UNREACHED.has(this.code) || PASSING.has(this.details);
  }

  /** The wanted revision, or the first one of a watch, was compacted. */
  get isCompacted(): boolean {
    return this.compactRevision !== undefined || this.details.includes(COMPACTED);
  }

  /** etcd does not have the wanted revision yet. */
  get isFutureRevision(): boolean {
    return this.details.includes(FUTURE);
  }

  /** The request is larger than etcd's --max-request-bytes (default 1.5 MiB), or has more operations than --max-txn-ops. */
  get isTooLarge(): boolean {
    return TOO_LARGE.test(this.details);
  }

  /** The store has reached --quota-backend-bytes. Nothing can be written until it is made smaller and the alarm is disarmed. */
  get isNoSpace(): boolean {
    return this.details.includes('mvcc: database space exceeded');
  }

  get isLeaseNotFound(): boolean {
    return this.details.includes('requested lease not found');
  }

  /** The member has lost its cluster. Another member may still be connected to it. */
  get isNoLeader(): boolean {
    return this.details.startsWith('etcdserver: no leader');
  }
}
