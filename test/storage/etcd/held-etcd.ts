/** An etcd of which every answer is in a test's hands: what is there, when it is told, and how a watch ends. */
import type {
  EtcdClient,
  EtcdEvent,
  EtcdWatch,
  KeyValue,
  RangeRequest,
  RangeResult,
  TransactionRequest,
  TransactionResult,
  WatchListener,
  WatchRequest,
} from '../../../runtime/storage/etcd/client/etcd-client.ts';
import { EtcdError } from '../../../runtime/storage/etcd/client/etcd-error.ts';

const COMPACTED = 'etcdserver: mvcc: required revision has been compacted';

/** A value by its key in etcd; null: the key is deleted. */
export type Changes = Readonly<Record<string, string | Buffer | null>>;

export const away = (): EtcdError => new EtcdError('UNAVAILABLE', 'nobody is there');

export const compacted = (compactRevision: number): EtcdError => new EtcdError('OUT_OF_RANGE', COMPACTED, { compactRevision });

export class HeldEtcd {
  /** the newest */
  revision = 1;
  /** the oldest that can be read */
  compacted = 1;
  /** what each change has made of its key, by ascending revision; undefined: it was deleted */
  readonly #history: { readonly revision: number; readonly key: string; readonly kv: KeyValue | undefined }[] = [];
  /** in the order in which they were begun */
  readonly watches: HeldWatch[] = [];
  /** what ranges were asked for */
  readonly ranges: RangeRequest[] = [];
  /** revisions that were compacted to */
  readonly compactions: number[] = [];
  /** called before a range is answered: what it throws, or waits for, the caller gets */
  beforeRange: (request: RangeRequest) => unknown = () => {};
  /** absent: no transaction is expected */
  transaction: ((request: TransactionRequest) => Promise<TransactionResult>) | undefined;
  isClosed = false;

  /** Of which only what the parts of the store call is there. */
  get client(): EtcdClient {
    const client = {
      range: (request: RangeRequest) => this.#range(request),
      transaction: async (request: TransactionRequest) => {
        if (this.transaction === undefined) throw new Error('no transaction is expected');
        return this.transaction(request);
      },
      watch: (request: WatchRequest, listener: WatchListener): EtcdWatch => {
        const watch = new HeldWatch(request, listener);
        this.watches.push(watch);
        return watch;
      },
      compact: async (revision: number) => void this.compactions.push(revision),
      status: async () => ({ dbSize: 4_096 }),
      alarms: async () => [],
      close: () => {
        this.isClosed = true;
      },
    };
    return client as unknown as EtcdClient;
  }

  /** The watch that was begun last. */
  get watch(): HeldWatch {
    return this.watches.at(-1) as HeldWatch;
  }

  /** Changes keys at one new revision, of which no watch hears by itself. @returns the events of the revision */
  change(changes: Changes): EtcdEvent[] {
    const revision = ++this.revision;
    return Object.entries(changes).map(([key, value]) => {
      this.#history.push({ revision, key, kv: value === null ? undefined : keyValue(key, value, revision) });
      return event(key, value, revision);
    });
  }

  /** Puts back what there was at a revision, as who restores a backup: the revisions behind it are given once more. */
  restore(revision: number): void {
    this.revision = revision;
    while ((this.#history.at(-1)?.revision ?? 0) > revision) this.#history.pop();
  }

  /** As `change`, which the last watch is told. */
  tell(changes: Changes): void {
    this.watch.listener.events(this.change(changes), this.revision);
  }

  #at(newest: number): KeyValue[] {
    const keys = new Map<string, KeyValue | undefined>();
    for (const { revision, key, kv } of this.#history) if (revision <= newest) keys.set(key, kv);
    return [...keys.values()].filter((kv) => kv !== undefined);
  }

  async #range(request: RangeRequest): Promise<RangeResult> {
    this.ranges.push(request);
    await this.beforeRange(request);
    if (request.revision !== undefined && request.revision < this.compacted) throw new EtcdError('OUT_OF_RANGE', COMPACTED);
    const start = Buffer.from(request.key);
    const end = request.end === undefined ? undefined : Buffer.from(request.end);
    const found = this.#at(request.revision ?? this.revision)
      .filter(({ key }) => (end === undefined ? key.equals(start) : Buffer.compare(key, start) >= 0 && Buffer.compare(key, end) < 0))
      .sort((a, b) => Buffer.compare(a.key, b.key));
    const kvs = found.slice(0, request.limit ?? found.length);
    return {
      kvs: request.countOnly ? [] : kvs,
      more: kvs.length < found.length,
      count: found.length,
      revision: this.revision,
      clusterId: 1n,
    };
  }
}

export class HeldWatch implements EtcdWatch {
  readonly request: WatchRequest;
  readonly listener: WatchListener;
  isPaused = false;
  isCanceled = false;
  /** how often progress was asked for */
  asked = 0;

  constructor(request: WatchRequest, listener: WatchListener) {
    this.request = request;
    this.listener = listener;
  }

  requestProgress(): void {
    this.asked++;
  }

  cancel(): void {
    this.isCanceled = true;
  }

  pause(): void {
    this.isPaused = true;
  }

  resume(): void {
    this.isPaused = false;
  }
}

const keyValue = (key: string, value: string | Buffer, revision: number): KeyValue => ({
  key: Buffer.from(key),
  value: Buffer.from(value),
  createRevision: revision,
  modRevision: revision,
  version: 1,
  lease: 0n,
});

export function event(key: string, value: string | Buffer | null, revision: number): EtcdEvent {
  if (value !== null) return { type: 'put', kv: keyValue(key, value, revision), previous: undefined };
  return { type: 'delete', kv: { ...keyValue(key, '', revision), createRevision: 0, version: 0 }, previous: undefined };
}

/** @throws Error where it does not come true in some seconds */
export async function until(what: () => boolean, name = String(what)): Promise<void> {
  for (const end = performance.now() + 10_000; !what(); await new Promise((resolve) => setTimeout(resolve, 2)))
    if (performance.now() > end) throw new Error(`it did not come true: ${name}`);
}
