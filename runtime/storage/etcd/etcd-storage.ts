/**
 * A store in etcd, with the keys and values of kube-apiserver: so several servers, of either program, may share one etcd. Writes are transactions of
 * etcd. Reads use a view in the memory of this process, which follows etcd.
 */

import type { ServiceCallTracer } from '../../contract/trace.ts';
import type { EncryptionWork } from '../encryption/encryption-work.ts';
import { GuardBroken, type StorageEnded, StorageFull } from '../errors.ts';
import { FencedStorage } from '../fenced-storage.ts';
import { MemoryData, type Version } from '../memory/memory-data.ts';
import { MemoryView } from '../memory/memory-view.ts';
import {
  type Fence,
  fillRevision,
  type Guard,
  guardsOf,
  requireKey,
  resourcePrefix,
  type ServedStorage,
  type Storage,
  type StorageLog,
  type StoreCheck,
  type StoredBytes,
  type StoreMetrics,
} from '../storage.ts';
import type { EtcdClient } from './client/etcd-client.ts';
import { EtcdFigures } from './etcd-figures.ts';
import { EtcdFollower } from './etcd-follower.ts';
import { EtcdWatchdog, type WatchdogOptions } from './etcd-watchdog.ts';
import type { FollowedEtcd } from './followed-etcd.ts';
import { KeyNames } from './key-names.ts';
import { type OwnWrite, OwnWrites } from './own-writes.ts';
import { keepReadingAgain } from './rereading.ts';
import { SharedBarrier } from './shared-barrier.ts';
import { type ExpiringKeys, SharedLeases } from './shared-leases.ts';
import { notSeen, storageErrorOf, translated, translatedRead } from './storage-error.ts';
import type { ValueCodec } from './value-codec.ts';
import { isUnreadable } from './value-reading.ts';
import { type Conditions, heldBy, refusalOf, transact } from './write-transaction.ts';

export interface EtcdStorageOptions {
  /** closed with the store */
  readonly client: EtcdClient;
  /** prefix of all keys in etcd, such as `/registry` */
  readonly prefix: string;
  readonly codec: ValueCodec;
  /**
   * Called with why etcd cannot be followed, once for each reason, and with undefined when it can be again. Reads of the past still work meanwhile. Must not
   * throw.
   */
  readonly onTrouble?: (reason: Error | undefined) => void;
  /**
   * Called once if etcd no longer has the past that was read, for example after a restore from a backup. From then on nothing can be read or written. Must not
   * throw.
   */
  readonly onEnd?: (reason: Error) => void;
  /** The name that metrics have for the resource of a key prefix ('': no key); absent: the prefix itself. */
  readonly typeOf?: (prefix: string) => string;
  /** keys that expire some time after their last write; of those that several elements name the first one counts */
  readonly expiring?: readonly ExpiringKeys[];
  /** health checks, metrics and traces of the encryption of values */
  readonly work?: EncryptionWork;
  /** absent for the intervals of 1.32 */
  readonly watchdog?: WatchdogOptions;
  /** the milliseconds for which a write, or a read of the most recent state, waits until that state has arrived; absent for 10 s */
  readonly catchingUp?: number;
}

const WATCHDOG: WatchdogOptions = { timeout: 2_000, sizeInterval: 30_000 };
/** Milliseconds that a reader waits until what is in memory has all that etcd had when it came. */
const CATCHING_UP = 10_000;
/** Most milliseconds for which a watch may be silent while somebody waits; and how many such silences fit into the time of that wait. */
const SILENCE = 3_000;
const PARTS_OF_CATCHING_UP = 3;

/** Opens the store, and loads everything that etcd has under the prefix. @throws StorageError if that fails */
export async function openEtcdStorage({
  client,
  prefix,
  codec,
  onTrouble = () => {},
  onEnd = () => {},
  typeOf = (prefix) => prefix,
  expiring = [],
  work = {},
  watchdog = WATCHDOG,
  catchingUp = CATCHING_UP,
}: EtcdStorageOptions): Promise<EtcdStorage> {
  const etcd = { client, names: new KeyNames(prefix), codec };
  const storage = new EtcdStorage(etcd, work, { onTrouble, onEnd, typeOf }, catchingUp, expiring);
  try {
    await storage.open(watchdog);
  } catch (error) {
    client.close();
    throw storageErrorOf(error);
  }
  return storage;
}

type Told = Required<Pick<EtcdStorageOptions, 'onTrouble' | 'onEnd' | 'typeOf'>>;

export class EtcdStorage extends MemoryView implements ServedStorage {
  readonly #etcd: FollowedEtcd;
  readonly #work: EncryptionWork;
  readonly #figures: EtcdFigures;
  readonly #expiring: readonly { readonly expires: ExpiringKeys['expires']; readonly leases: SharedLeases }[];
  readonly #ownWrites = new OwnWrites();
  readonly #told: Told;
  readonly #barrier: SharedBarrier;
  readonly #catchingUp: number;
  readonly #writes = new Set<Promise<unknown>>();
  #follower: EtcdFollower | undefined;
  #announced = 0;
  #watchdog: EtcdWatchdog | undefined;
  #trouble: Error | undefined;
  #rereading: Promise<void> = Promise.resolve();
  /** aborted when the store is closed or has ended */
  readonly #over = new AbortController();
  #closing: Promise<void> | undefined;

  readonly clusterId = 'etcd-0';
  readonly hasOwnPast = true;
  readonly checks: readonly StoreCheck[];
  readonly showFigures: (metrics: StoreMetrics) => void;
  readonly traceCalls: (tracer: ServiceCallTracer) => void;

  constructor(etcd: FollowedEtcd, work: EncryptionWork, told: Told, catchingUp: number, expiring: readonly ExpiringKeys[]) {
    super(new MemoryData());
    this.#etcd = etcd;
    this.#work = work;
    this.checks = work.checks ?? [];
    this.#figures = new EtcdFigures(told.typeOf);
    this.#expiring = expiring.map(({ expires, ...times }) => ({
      expires,
      leases: new SharedLeases(etcd.client, times, (keys) => this.#figures.countKeysOfLease(keys)),
    }));
    this.showFigures = (metrics) => {
      this.#figures.show(metrics);
      work.showFigures?.(metrics);
    };
    this.traceCalls = work.traceCalls ?? (() => {});
    this.#told = told;
    this.#catchingUp = catchingUp;
    this.#barrier = new SharedBarrier(() => this.#catchUp());
  }

  async open(watchdog: WatchdogOptions): Promise<void> {
    this.#follower = await EtcdFollower.start({
      ...this.#etcd,
      ownWrites: this.#ownWrites,
      silence: Math.min(SILENCE, this.#catchingUp / PARTS_OF_CATCHING_UP),
      replaced: (data) => this.replaceData(data),
      advanced: () => this.#announce(),
      received: (key) => this.#figures.countEvent(key),
      onTrouble: (reason) => {
        this.#trouble = reason;
        this.#told.onTrouble(reason);
      },
      onEnd: (reason) => this.#end(storageErrorOf(reason) as StorageEnded),
    });
    const { client } = this.#etcd;
    this.#watchdog = new EtcdWatchdog(client, (milliseconds) => this.#following.newestRevision(milliseconds), watchdog);
  }

  #end(reason: StorageEnded): void {
    this.endView(reason);
    this.#over.abort();
    this.#told.onEnd(reason);
  }

  /** @throws StorageUnreachable, StorageEnded */
  async #catchUp(): Promise<void> {
    const newest = await translatedRead(this.#figures.count('get', '', this.#following.newestRevision()));
    await translated(this.#following.seen(newest, this.#catchingUp));
  }

  get #following(): EtcdFollower {
    return this.#follower as EtcdFollower;
  }

  #announce(): void {
    if (this.data.revision <= this.#announced) return;
    this.#announced = this.data.revision;
    this.announce();
  }

  create(key: string, value: StoredBytes, guard?: Guard): Promise<number> {
    return this.#write(key, undefined, value, { guard });
  }

  update(key: string, expectedRevision: number, value: StoredBytes, guard?: Guard): Promise<number> {
    return this.#write(key, expectedRevision, value, { guard });
  }

  /** Watches of this server show `lastValue`. Those of other servers show the value that was written last, because etcd keeps no other one. */
  delete(key: string, expectedRevision: number, lastValue: StoredBytes): Promise<number> {
    return this.#delete(key, expectedRevision, lastValue, {});
  }

  fenced(fence: Fence): Storage {
    const writes: Pick<StorageLog, 'create' | 'update' | 'delete'> = {
      create: (key, value, guard) => this.#write(key, undefined, value, { guard, fence }),
      update: (key, expectedRevision, value, guard) => this.#write(key, expectedRevision, value, { guard, fence }),
      delete: (key, expectedRevision, lastValue) => this.#delete(key, expectedRevision, lastValue, { fence }),
    };
    return new FencedStorage(this, writes);
  }

  #delete(key: string, expectedRevision: number, lastValue: StoredBytes, conditions: Conditions): Promise<number> {
    return this.#track(async () => {
      requireKey(key);
      return this.#commit({ key, sent: undefined, expectedRevision, value: lastValue }, conditions);
    });
  }

  #write(key: string, expectedRevision: number | undefined, value: StoredBytes, conditions: Conditions): Promise<number> {
    return this.#track(async () => {
      requireKey(key);
      const sent = await this.#etcd.codec.toEtcd(key, value.bytes, value.object);
      const write = { key, sent, expectedRevision, value };
      const leases = this.#leasesOf(key);
      if (leases === undefined) return this.#commit(write, conditions);
      return leases.using((lease) => this.#commit({ ...write, lease }, conditions));
    });
  }

  #leasesOf(key: string): SharedLeases | undefined {
    if (this.#expiring.length === 0) return undefined;
    const prefix = resourcePrefix(key);
    return this.#expiring.find(({ expires }) => expires(prefix))?.leases;
  }

  async #track(write: () => Promise<number>): Promise<number> {
    this.requireOpen();
    if (this.#closing !== undefined) throw new Error('the store is closed');
    const made = write();
    this.#writes.add(made);
    try {
      return await made;
    } finally {
      this.#writes.delete(made);
    }
  }

  /** Resolves when the written value can be read here. */
  async #commit(write: OwnWrite, conditions: Conditions): Promise<number> {
    const { value } = write;
    this.#ownWrites.begin(write);
    try {
      const revision = await this.#transact(write, conditions);
      await this.#following.reached(revision, this.#catchingUp).catch(notSeen);
      if (value.revisionOffset >= 0) fillRevision(value.bytes, value.revisionOffset, revision);
      return revision;
    } finally {
      this.#ownWrites.end(write);
    }
  }

  async #transact(write: OwnWrite, { guard, fence }: Conditions): Promise<number> {
    const { key, sent, expectedRevision } = write;
    const operation = sent === undefined ? 'delete' : expectedRevision === undefined ? 'create' : 'update';
    for (;;) {
      const guards = [...(fence === undefined ? [] : [heldBy(fence)]), ...guardsOf(guard)];
      const transaction = transact({ ...this.#etcd, after: this.data.revision }, write, guards);
      const answer = await translated(this.#figures.count(operation, key, transaction));
      if (answer.succeeded) return answer.revision;
      // a caller whose write is refused decides anew by the view here, so that must have caught up
      await translated(this.#following.seen(answer.revision, this.#catchingUp));
      const refusal = refusalOf(answer, write, guards);
      // the holder of the fence may itself have changed the key, by renewing a lease: then the write is tried again
      if (!(refusal instanceof GuardBroken && refusal.key === fence?.key)) throw refusal;
    }
  }

  async probe(): Promise<void> {
    this.requireOpen();
    await Promise.allSettled(this.#writes);
    const alarms = await translatedRead(this.#etcd.client.alarms());
    if (alarms.some(({ alarm }) => alarm === 'NOSPACE')) throw new StorageFull('etcd takes no more: its alarm NOSPACE is raised');
    await translatedRead(this.#following.newestRevision());
  }

  barrier(): Promise<void> {
    this.requireOpen();
    return this.#barrier.pass();
  }

  /**
   * Reads values from etcd again, in the background. Calls run one after the other.
   * @param which chooses among the newest versions.
   * @returns resolves when that is done
   */
  readAgain(which: (key: string, isUnreadable: boolean) => boolean): Promise<void> {
    const isMeant = (key: string, version: Version): boolean => which(key, isUnreadable(version));
    const trying = { signal: this.#over.signal, onTrouble: (reason: Error) => this.#told.onTrouble(reason) };
    this.#rereading = this.#rereading.then(() => keepReadingAgain(this.#etcd, () => this.data, isMeant, trying));
    return this.#rereading;
  }

  /** Why changes do not arrive here at present; undefined if they do. */
  problem(): string | undefined {
    return this.#watchdog?.trouble ?? this.#trouble?.message;
  }

  /** Nothing to do, because etcd tells what other processes have written. */
  notify(): void {}

  /** Nothing to verify, because etcd checks its own data. */
  verification(): undefined {}

  /** Nothing to keep, because this store has no index for scans. */
  keepIndex(): { stop(): Promise<void> } {
    return { stop: async () => {} };
  }

  allocatedBytes(): number | undefined {
    return this.#watchdog?.databaseBytes;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const closed = this.closeView();
    this.#over.abort();
    await Promise.allSettled(this.#writes);
    this.#watchdog?.stop();
    await this.#follower?.stop();
    await closed;
    await this.#rereading;
    this.#work.closing?.();
    this.#etcd.client.close();
  }
}
