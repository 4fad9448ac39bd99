/**
 * A client of etcd (version 3 of the interface). It knows keys, revisions and bytes, but not their meaning. It uses a connection to one member, and asks
 * another one when that cannot answer. All promises reject with an EtcdError.
 */
import { KV, Lease, Maintenance } from '../../../../generated/node-interfaces/etcd.ts';
import { type EtcdAddress, parseAddress } from './address.ts';
import { Endpoint } from './endpoint.ts';
import { EtcdError } from './etcd-error.ts';
import { Members } from './members.ts';
import type {
  CallLimits,
  EtcdAlarm,
  EtcdStatus,
  EtcdWatch,
  RangeRequest,
  RangeResult,
  TransactionRequest,
  TransactionResult,
  WatchListener,
  WatchRequest,
} from './requests.ts';
import { StreamWatch } from './stream-watch.ts';
import type { TlsSources } from './tls-credentials.ts';
import { foundOf, resultsOf, revisionOf, wireRange, wireTransaction } from './wire-requests.ts';

export { EtcdError } from './etcd-error.ts';
export type * from './requests.ts';
export type { PemSource } from './tls-credentials.ts';

export interface EtcdOptions extends TlsSources {
  /** the addresses of the members of one cluster, at least one, each in the form of `parseAddress`; the first one is asked as long as it answers */
  readonly addresses: readonly string[];
  /** Returns where a connection to a member is made, in the form of gRPC; absent if that is its address. */
  readonly targetOf?: ((address: EtcdAddress) => string) | undefined;
  /** the time limit for a call, and for the beginning of a watch, in milliseconds */
  readonly requestTimeout: number;
}

const ALARMS: Readonly<Record<number, EtcdAlarm['alarm']>> = { 1: 'NOSPACE', 2: 'CORRUPT' };

export class EtcdClient {
  readonly #members: Members;
  readonly #timeout: number;
  readonly #watches = new Set<StreamWatch>();

  /** Connects at the first call. @throws TypeError for an invalid address */
  constructor({ addresses, requestTimeout, targetOf = ({ target }) => target, ...tls }: EtcdOptions) {
    if (addresses.length === 0) throw new TypeError('etcd needs at least one address.');
    this.#members = new Members(
      addresses.map(parseAddress).map((address) => new Endpoint({ ...address, target: targetOf(address) }, tls)),
      requestTimeout,
    );
    this.#timeout = requestTimeout;
  }

  /** Reads a range of keys, or one key, at one revision. Another member is asked if one cannot answer. */
  async range(request: RangeRequest, { timeout = this.#timeout }: CallLimits = {}): Promise<RangeResult> {
    const limits = { timeout, repeatable: true, withLeader: request.serializable !== true };
    const answer = await this.#members.call(KV.Range, wireRange(request), limits);
    return { revision: revisionOf(answer), clusterId: answer.header?.clusterId ?? 0n, ...foundOf(answer) };
  }

  /** A transaction is sent again only if it certainly was not done. If it fails, `outcomeUnknown` of the error says whether it may have been done. */
  async transaction(request: TransactionRequest, { timeout = this.#timeout }: CallLimits = {}): Promise<TransactionResult> {
    const answer = await this.#members.call(KV.Txn, wireTransaction(request), { timeout, repeatable: false, withLeader: true });
    const { succeeded, responses } = answer;
    const asked = succeeded ? request.success : request.failure;
    return { succeeded, revision: revisionOf(answer), responses: resultsOf(asked, responses) };
  }

  /**
   * Drops the history before a revision, which itself stays readable. If etcd is compacted to this revision or a later one already, the error `isCompacted`.
   * @param physical waits until the history is removed from the store's file
   */
  async compact(
    revision: number,
    { physical = false, timeout = this.#timeout }: CallLimits & { readonly physical?: boolean } = {},
  ): Promise<void> {
    await this.#members.call(KV.Compact, { revision, physical }, { timeout, repeatable: false, withLeader: true });
  }

  /** The listener is called in later turns. It is also told if the watch cannot begin. A watch ends when its member fails; it does not restart by itself. */
  watch(request: WatchRequest, listener: WatchListener): EtcdWatch {
    const watch: StreamWatch = new StreamWatch(this.#members, request, listener, this.#timeout, () => this.#watches.delete(watch));
    this.#watches.add(watch);
    return watch;
  }

  /**
   * Keys that are put with it go when it ends.
   * @param ttlSeconds an integer from 1 on.
   * @returns `ttl` as etcd chose it, in seconds; it is at least the time of two elections
   */
  async grantLease(
    ttlSeconds: number,
    { timeout = this.#timeout }: CallLimits = {},
  ): Promise<{ readonly id: bigint; readonly ttl: number }> {
    const { ID, TTL, error } = await this.#members.call(
      Lease.LeaseGrant,
      { TTL: ttlSeconds },
      { timeout, repeatable: false, withLeader: true },
    );
    if (error !== '') throw new EtcdError('UNKNOWN', error);
    return { id: ID, ttl: TTL };
  }

  /** Revokes a lease, which deletes its keys. */
  async revokeLease(id: bigint, { timeout = this.#timeout }: CallLimits = {}): Promise<void> {
    await this.#members.call(Lease.LeaseRevoke, { ID: id }, { timeout, repeatable: false, withLeader: true });
  }

  /** Returns the status of the current member, even if it has no leader. */
  async status({ timeout = this.#timeout }: CallLimits = {}): Promise<EtcdStatus> {
    const answer = await this.#members.call(Maintenance.Status, {}, { timeout, repeatable: true, withLeader: false });
    const { header, version, dbSize, dbSizeInUse, leader, raftTerm, isLearner, errors } = answer;
    const ids = { memberId: header?.memberId ?? 0n, clusterId: header?.clusterId ?? 0n };
    return { version, dbSize, dbSizeInUse, leader, raftTerm, isLearner, errors, ...ids };
  }

  /** Returns the active alarms of all members. */
  async alarms({ timeout = this.#timeout }: CallLimits = {}): Promise<readonly EtcdAlarm[]> {
    const { alarms } = await this.#members.call(Maintenance.Alarm, {}, { timeout, repeatable: true, withLeader: false });
    return alarms.map(({ memberId, alarm }) => ({ memberId, alarm: ALARMS[alarm] ?? alarm }));
  }

  /** Closes the connections. Calls under way, and watches, end with an error. */
  close(): void {
    const error = new EtcdError('CANCELLED', 'the client was closed', { unsent: true });
    for (const watch of [...this.#watches]) watch.end(error);
    this.#members.close();
  }
}
