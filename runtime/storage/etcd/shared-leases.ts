/**
 * Leases of etcd, by which keys expire some time after their last write. As in 1.32, keys that are written shortly after one another share a lease, because
 * leases cost etcd more than keys. So a lease lasts longer than its first key needs, by the time for which further keys get it.
 */
import { StorageUnreachable } from '../errors.ts';
import type { EtcdClient } from './client/etcd-client.ts';
import { EtcdError } from './client/etcd-error.ts';
import { translatedRead } from './storage-error.ts';

export interface LeaseTimes {
  /** least seconds for which a key stays after its last write: an integer from 1 on */
  readonly life: number;
  /** seconds for which a lease is given to further keys: an integer; 0: each key has a lease of its own */
  readonly shared: number;
}

export interface ExpiringKeys extends LeaseTimes {
  /** @param resource prefix of the keys of one resource, without a slash at its end */
  readonly expires: (resource: string) => boolean;
}

/** The most keys of one lease, all of which etcd deletes in one transaction. */
const MOST_KEYS = 1_000;

interface SharedLease {
  readonly id: bigint;
  /** time by the clock after which writes get another lease */
  readonly until: number;
  /** number of writes that have got the lease, whether they succeeded or not */
  keys: number;
}

export class SharedLeases {
  readonly #client: Pick<EtcdClient, 'grantLease'>;
  readonly #times: LeaseTimes;
  readonly #ended: (keys: number) => void;
  readonly #now: () => number;
  #lease: SharedLease | undefined;
  #granting: Promise<SharedLease> | undefined;

  /**
   * @param ended called with the number of writes that have got a lease, when no more will get it
   * @param now milliseconds, which never go back
   */
  constructor(client: Pick<EtcdClient, 'grantLease'>, times: LeaseTimes, ended: (keys: number) => void, now = () => performance.now()) {
    this.#client = client;
    this.#times = times;
    this.#ended = ended;
    this.#now = now;
  }

  /** Calls `write` with a lease, and once more with another one if etcd no longer has the lease. @throws StorageError, and what `write` throws */
  async using<T>(write: (lease: bigint) => Promise<T>): Promise<T> {
    const lease = await translatedRead(this.#take());
    try {
      return await write(lease.id);
    } catch (error) {
      if (!isGone(error)) throw error;
      // for example because the lease was revoked, or this process stood still for longer than the lease lasts
      if (this.#lease === lease) this.#lease = undefined;
      return write((await translatedRead(this.#take())).id);
    }
  }

  async #take(): Promise<SharedLease> {
    let lease = this.#lease;
    if (lease === undefined || this.#now() >= lease.until) lease = await this.#next();
    while (lease.keys >= MOST_KEYS) lease = await this.#next();
    lease.keys++;
    return lease;
  }

  /** The current lease. Calls while a lease is being granted share it. @throws EtcdError */
  #next(): Promise<SharedLease> {
    this.#granting ??= this.#grant().finally(() => {
      this.#granting = undefined;
    });
    return this.#granting;
  }

  async #grant(): Promise<SharedLease> {
    const { life, shared } = this.#times;
    const until = this.#now() + shared * 1_000;
    const { id } = await this.#client.grantLease(life + shared);
    if (this.#lease !== undefined) this.#ended(this.#lease.keys);
    this.#lease = { id, until, keys: 0 };
    return this.#lease;
  }
}

/** Whether etcd does not have the lease. Then nothing was written. */
const isGone = (error: unknown): boolean =>
  error instanceof StorageUnreachable && error.cause instanceof EtcdError && error.cause.isLeaseNotFound;
