/**
 * A client of etcd, version 3 of its interface. It knows keys, revisions and bytes, and nothing of what they mean. One connection goes to one of the members; where that
 * cannot answer another one is asked. Every function that gives a promise rejects with an EtcdError.
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
  /** of the members of one cluster, each as `parseAddress` takes it; at least one. The first is asked as long as it answers */
  readonly addresses: readonly string[];
  /** where a connection to a member is made, as gRPC has it; absent: at its address */
  readonly targetOf?: ((address: EtcdAddress) => string) | undefined;
  /** milliseconds for a call, and for the beginning of a watch */
  readonly requestTimeout: number;
}

const ALARMS: Readonly<Record<number, EtcdAlarm['alarm']>> = { 1: 'NOSPACE', 2: 'CORRUPT' };

export class EtcdClient {
  readonly #members: Members;
  readonly #timeout: number;
  readonly #watches = new Set<StreamWatch>();

  /** Connects when something is asked. @throws TypeError for an address that is none */
  constructor({ addresses, requestTimeout, targetOf = ({ target }) => target, ...tls }: EtcdOptions) {
    if (addresses.length === 0) throw new TypeError('etcd needs at least one address.');
    this.#members = new Members(
      addresses.map(parseAddress).map((address) => new Endpoint({ ...address, target: targetOf(address) }, tls)),
      requestTimeout,
    );
    this.#timeout = requestTimeout;
  }

  /** The keys of a range, or one key, at one revision. Asked again of another member where one cannot answer. */
  async range(request: RangeRequest, { timeout = this.#timeout }: CallLimits = {}): Promise<RangeResult> {
    const limits = { timeout, repeatable: true, withLeader: request.serializable !== true };
    const answer = await this.#members.call(KV.Range, wireRange(request), limits);
    return { revision: revisionOf(answer), clusterId: answer.header?.clusterId ?? 0n, ...foundOf(answer) };
  }

  /** Sent once: where it fails, `outcomeUnknown` of the error says whether it is perhaps done. Sent again only where it certainly was not. */
  async transaction(request: TransactionRequest, { timeout = this.#timeout }: CallLimits = {}): Promise<TransactionResult> {
    const answer = await this.#members.call(KV.Txn, wireTransaction(request), { timeout, repeatable: false, withLeader: true });
    const { succeeded, responses } = answer;
    const asked = succeeded ? request.success : request.failure;
    return { succeeded, revision: revisionOf(answer), responses: resultsOf(asked, responses) };
  }

  /**
   * Forgets what keys were before a revision, which stays known. Where that has been done, or a later one was compacted, it is an error that `isCompacted`.
   * @param physical answer when it has gone from the store's file
   */
  async compact(
    revision: number,
    { physical = false, timeout = this.#timeout }: CallLimits & { readonly physical?: boolean } = {},
  ): Promise<void> {
    await this.#members.call(KV.Compact, { revision, physical }, { timeout, repeatable: false, withLeader: true });
  }

  /** The listener is called in later turns, and tells also when the watch cannot begin. It ends when its member cannot go on: nothing is begun again by itself. */
  watch(request: WatchRequest, listener: WatchListener): EtcdWatch {
    const watch: StreamWatch = new StreamWatch(this.#members, request, listener, this.#timeout, () => this.#watches.delete(watch));
    this.#watches.add(watch);
    return watch;
  }

  /** Keys that are put with it go when it ends. @param ttlSeconds an integer from 1 on. @returns `ttl` as etcd chose it, in seconds; it is at least the time of two elections */
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

  /** Ends a lease, and deletes its keys. */
  async revokeLease(id: bigint, { timeout = this.#timeout }: CallLimits = {}): Promise<void> {
    await this.#members.call(Lease.LeaseRevoke, { ID: id }, { timeout, repeatable: false, withLeader: true });
  }

  /** Of the member that is asked, also where it has no leader. */
  async status({ timeout = this.#timeout }: CallLimits = {}): Promise<EtcdStatus> {
    const answer = await this.#members.call(Maintenance.Status, {}, { timeout, repeatable: true, withLeader: false });
    const { header, version, dbSize, dbSizeInUse, leader, raftTerm, isLearner, errors } = answer;
    const ids = { memberId: header?.memberId ?? 0n, clusterId: header?.clusterId ?? 0n };
    return { version, dbSize, dbSizeInUse, leader, raftTerm, isLearner, errors, ...ids };
  }

  /** Alarms that are raised, of all members. */
  async alarms({ timeout = this.#timeout }: CallLimits = {}): Promise<readonly EtcdAlarm[]> {
    const { alarms } = await this.#members.call(Maintenance.Alarm, {}, { timeout, repeatable: true, withLeader: false });
    return alarms.map(({ memberId, alarm }) => ({ memberId, alarm: ALARMS[alarm] ?? alarm }));
  }

  /** Ends the connections; calls under way, and watches, end with an error. */
  close(): void {
    const error = new EtcdError('CANCELLED', 'the client was closed', { unsent: true });
    for (const watch of [...this.#watches]) watch.end(error);
    this.#members.close();
  }
}
