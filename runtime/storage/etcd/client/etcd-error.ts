/** A call to etcd that failed. Nothing of gRPC is loaded for it: who only tells errors apart imports this file. */

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
  /** it is known that the request never left */
  readonly unsent?: boolean;
  /** of a watch whose first revision is no longer known: the first that is */
  readonly compactRevision?: number;
}

/** With these codes etcd refuses a request before it does anything of it; they are also what stands between it and the client would say of a request that it does not let through. */
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
/** With these nothing is known of the server's state, or it is not in a state to answer. */
const UNREACHED: ReadonlySet<EtcdErrorCode> = new Set(['UNAVAILABLE', 'DEADLINE_EXCEEDED', 'CANCELLED', 'INTERNAL', 'UNKNOWN', 'ABORTED']);
/** etcd says so of a request that it has not begun: the member has no leader, has another one soon, or is a learner, too much is waiting, or the message is larger than it takes. That its store is full it also says of some that it has made. */
const NOT_BEGUN =
  /^etcdserver: (?:no leader|not leader|rpc not supported for learner|too many requests|corrupt cluster)|^raft proposal dropped$|^grpc: received message larger than max/;
/** Other codes say so too: of a member that has no vote yet, and answers nothing before it has, and of a request that came while the rights of clients were changed. */
const PASSING: ReadonlySet<string> = new Set(['etcdserver: rpc not supported for learner', 'etcdserver: revision of auth store is old']);
const COMPACTED = 'mvcc: required revision has been compacted';
const FUTURE = 'mvcc: required revision is a future revision';
const TOO_LARGE =
  /^etcdserver: (?:request is too large|too many operations in txn request)|^grpc: received message (?:after decompression )?larger than max/;

export class EtcdError extends Error {
  override readonly name = 'EtcdError';
  readonly code: EtcdErrorCode;
  /** what etcd says, or what the connection to it says, without a code in front */
  readonly details: string;
  /** where nothing was reached: the request was not sent, and never will be */
  readonly unsent: boolean;
  /** of a watch that was compacted away: the first revision that is still known */
  readonly compactRevision: number | undefined;

  constructor(code: EtcdErrorCode, details: string, { unsent = false, compactRevision }: EtcdErrorOptions = {}) {
    super(`etcd: ${code}: ${details}`);
    this.code = code;
    this.details = details;
    this.unsent = unsent;
    this.compactRevision = compactRevision;
  }

  /** Whether what was asked is perhaps done, or will be: the answer alone was lost. Where this is false nothing was done, and nothing will be. */
  get outcomeUnknown(): boolean {
    return !(this.unsent || REFUSALS.has(this.code) || NOT_BEGUN.test(this.details));
  }

  /** etcd was not reached, did not answer in time, or cannot answer now. The same may be asked again later; of a change, see `outcomeUnknown`. */
  get isUnavailable(): boolean {
    return UNREACHED.has(this.code) || PASSING.has(this.details);
  }

  /** The revision that was asked for, or from which a watch was to begin, is no longer known. */
  get isCompacted(): boolean {
    return this.compactRevision !== undefined || this.details.includes(COMPACTED);
  }

  /** The revision that was asked for is one that etcd does not have yet. */
  get isFutureRevision(): boolean {
    return this.details.includes(FUTURE);
  }

  /** The request is larger than etcd takes: 1.5 MiB, or what its --max-request-bytes says; or it has more operations than --max-txn-ops. */
  get isTooLarge(): boolean {
    return TOO_LARGE.test(this.details);
  }

  /** The store's file is as large as --quota-backend-bytes lets it be: nothing is written until it is made smaller and the alarm is taken back. */
  get isNoSpace(): boolean {
    return this.details.includes('mvcc: database space exceeded');
  }

  get isLeaseNotFound(): boolean {
    return this.details.includes('requested lease not found');
  }

  /** The member has lost its cluster: another one may have it. */
  get isNoLeader(): boolean {
    return this.details.startsWith('etcdserver: no leader');
  }
}
