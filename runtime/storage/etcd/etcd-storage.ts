/**
 * A store that etcd has, with the keys and values of kube-apiserver, so that several servers of either kind may serve one etcd. Writes are transactions of etcd's;
 * reads go to a view in the memory of this process, which follows etcd.
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
  /** what all keys in etcd begin with, such as `/registry` */
  readonly prefix: string;
  readonly codec: ValueCodec;
  /** Hears why etcd cannot be followed, of each reason once, and by undefined that it can again. Reads of the past go on meanwhile. Must not throw. */
  readonly onTrouble?: (reason: Error | undefined) => void;
  /** Hears once that etcd is not the one any more that was read, such as one that was restored from a backup: nothing can be read or written from then on. Must not throw. */
  readonly onEnd?: (reason: Error) => void;
  /** What figures call the resource whose keys have a prefix, '' for none of them; absent: by its prefix. */
  readonly typeOf?: (prefix: string) => string;
  /** keys that go some time after their last write; absent: none do */
  readonly expiring?: ExpiringKeys | undefined;
  /** of the encryption of its values */
  readonly work?: EncryptionWork;
  /** absent: as 1.32 has them */
  readonly watchdog?: WatchdogOptions;
  /** milliseconds for which who has written, or must see the most recent state, waits until that has come here; absent: 10 s */
  readonly catchingUp?: number;
}

const WATCHDOG: WatchdogOptions = { timeout: 2_000, sizeInterval: 30_000 };
const CATCHING_UP = 10_000;
/** Milliseconds for which a watch may say nothing while somebody waits for it, at most, and how often it may in the time that who waits has. */
const SILENCE = 3_000;
const PARTS_OF_CATCHING_UP = 3;

/** Loads all that etcd has under the prefix. @throws StorageError where that cannot be done */
export async function openEtcdStorage({
  client,
  prefix,
  codec,
  onTrouble = () => {},
  onEnd = () => {},
  typeOf = (prefix) => prefix,
  expiring,
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
  readonly #expires: ExpiringKeys['expires'];
  readonly #leases: SharedLeases | undefined;
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
  /** the store is closed, or has ended */
  readonly #over = new AbortController();
  #closing: Promise<void> | undefined;

  readonly clusterId = 'etcd-0';
  readonly checks: readonly StoreCheck[];
  readonly showFigures: (metrics: StoreMetrics) => void;
  readonly traceCalls: (tracer: ServiceCallTracer) => void;

  constructor(etcd: FollowedEtcd, work: EncryptionWork, told: Told, catchingUp: number, expiring: ExpiringKeys | undefined) {
    super(new MemoryData());
    this.#etcd = etcd;
    this.#work = work;
    this.checks = work.checks ?? [];
    this.#figures = new EtcdFigures(told.typeOf);
    this.#expires = expiring?.expires ?? (() => false);
    this.#leases = expiring && new SharedLeases(etcd.client, expiring, (keys) => this.#figures.countKeysOfLease(keys));
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

  /** Other servers see the last value that was written instead of `lastValue`. */
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
      if (this.#leases === undefined || !this.#expires(resourcePrefix(key))) return this.#commit(write, conditions);
      return this.#leases.using((lease) => this.#commit({ ...write, lease }, conditions));
    });
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

  /** Resolves when what was written can be read here. */
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
      // who is refused decides anew, by what is here
      await translated(this.#following.seen(answer.revision, this.#catchingUp));
      const refusal = refusalOf(answer, write, guards);
      // its holder may have changed the key of the fence itself, as by renewing a lease
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

  /** Reads values anew, one time after the other, in the background, until that is done. @param which of the newest versions, by their keys */
  readAgain(which: (key: string, isUnreadable: boolean) => boolean): Promise<void> {
    const isMeant = (key: string, version: Version): boolean => which(key, isUnreadable(version));
    const trying = { signal: this.#over.signal, onTrouble: (reason: Error) => this.#told.onTrouble(reason) };
    this.#rereading = this.#rereading.then(() => keepReadingAgain(this.#etcd, () => this.data, isMeant, trying));
    return this.#rereading;
  }

  /** Why not all that was written comes here at present. */
  problem(): string | undefined {
    return this.#watchdog?.trouble ?? this.#trouble?.message;
  }

  /** What other processes have written comes from etcd. */
  notify(): void {}

  /** etcd looks after what it keeps. */
  verification(): undefined {}

  /** Scans have no index. */
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
