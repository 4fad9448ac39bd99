/**
 * Leases by which keys go some time after they were last written. As in 1.32, keys that are written shortly after one another share one, for leases cost etcd more than
 * keys do: it lasts longer than the first of them needs, by the time for which further ones get it.
 */
import { StorageUnreachable } from '../errors.ts';
import type { EtcdClient } from './client/etcd-client.ts';
import { EtcdError } from './client/etcd-error.ts';
import { translatedRead } from './storage-error.ts';

export interface LeaseTimes {
  /** seconds for which a key stays after its last write, at least: an integer from 1 on */
  readonly life: number;
  /** seconds for which a lease is given to further keys, an integer; 0: each key has its own */
  readonly shared: number;
}

export interface ExpiringKeys extends LeaseTimes {
  /** @param resource prefix of the keys of one resource, without a slash at its end */
  readonly expires: (resource: string) => boolean;
}

/** Keys of one lease, at most: all of them go in one transaction of etcd's. */
const MOST_KEYS = 1_000;

interface SharedLease {
  readonly id: bigint;
  /** by the clock: who comes later gets another one */
  readonly until: number;
  /** writes that have got it, whatever became of them */
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
   * @param ended hears how many writes have got a lease that is given to no more of them
   * @param now milliseconds, which never go back
   */
  constructor(client: Pick<EtcdClient, 'grantLease'>, times: LeaseTimes, ended: (keys: number) => void, now = () => performance.now()) {
    this.#client = client;
    this.#times = times;
    this.#ended = ended;
    this.#now = now;
  }

  /** Writes with a lease; once more with another one where etcd does not have it any more. @throws StorageError, and what `write` throws */
  async using<T>(write: (lease: bigint) => Promise<T>): Promise<T> {
    const lease = await translatedRead(this.#take());
    try {
      return await write(lease.id);
    } catch (error) {
      if (!isGone(error)) throw error;
      // as after it was revoked, or where this process stood still for longer than it lasts
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

  /** Whoever asks while one is granted gets that one. @throws EtcdError */
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

/** Nothing was written then. */
const isGone = (error: unknown): boolean =>
  error instanceof StorageUnreachable && error.cause instanceof EtcdError && error.cause.isLeaseNotFound;
