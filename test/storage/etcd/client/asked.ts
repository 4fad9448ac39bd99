/** What tests ask of etcd. */
import type {
  EtcdClient,
  EtcdError,
  EtcdEvent,
  EtcdWatch,
  TransactionResult,
  WatchRequest,
} from '../../../../runtime/storage/etcd/client/etcd-client.ts';

/** Writes values by their keys, in one transaction. */
export function put(client: EtcdClient, values: Readonly<Record<string, string>>): Promise<TransactionResult> {
  const success = Object.entries(values).map(([key, value]) => ({ op: 'put' as const, key, value: Buffer.from(value) }));
  return client.transaction({ compare: [], success, failure: [] });
}

/** @throws Error where the call does not fail */
export async function failure(call: Promise<unknown>): Promise<EtcdError> {
  const answer = await call.then(
    (value) => ({ value }),
    (error: EtcdError) => error,
  );
  if ('value' in answer) throw new Error('the call did not fail');
  return answer;
}

/** `put KEY VALUE (before: VALUE)` */
export function text({ type, kv, previous }: EtcdEvent): string {
  const value = type === 'put' ? ` ${kv.value}` : '';
  return `${type} ${kv.key}${value}${previous === undefined ? '' : ` (before: ${previous.value})`}`;
}

/** A watch that notes what it is told. */
export class NotedWatch {
  readonly watch: EtcdWatch;
  /** `created`, `events`, `progress`, `compacted`, `ended`, in the order in which they came */
  readonly calls: string[] = [];
  readonly events: EtcdEvent[] = [];
  /** highest revision of which everything was told, by the progress of the watch */
  told = 0;
  created = 0;
  compactRevision: number | undefined;
  error: EtcdError | undefined;
  readonly #waiting = new Set<() => void>();

  constructor(client: EtcdClient, request: Partial<WatchRequest> & Pick<WatchRequest, 'key'>) {
    const note = (call: string, change: () => void): void => {
      this.calls.push(call);
      change();
      for (const look of this.#waiting) look();
    };
    this.watch = client.watch(
      { previousValues: false, fragment: true, progressNotify: false, ...request },
      {
        created: (revision) => note('created', () => (this.created = revision)),
        events: (events) => note('events', () => this.events.push(...events)),
        progress: (revision) => note('progress', () => (this.told = revision)),
        compacted: (revision) => note('compacted', () => (this.compactRevision = revision)),
        ended: (error) => note('ended', () => (this.error = error as EtcdError)),
      },
    );
  }

  get texts(): string[] {
    return this.events.map(text);
  }

  /** @throws Error where it does not come true in ten seconds */
  async until(what: () => boolean): Promise<void> {
    if (what()) return;
    await new Promise<void>((resolve, reject) => {
      const late = () => done(() => reject(new Error(`it did not come true; told: ${this.calls.join(' ')} ${this.error?.message ?? ''}`)));
      const timer = setTimeout(late, 10_000);
      const look = (): void => {
        if (what()) done(resolve);
      };
      const done = (end: () => void): void => {
        clearTimeout(timer);
        this.#waiting.delete(look);
        end();
      };
      this.#waiting.add(look);
    });
  }

  /** Asks until it is told that there is nothing more up to a revision. */
  async progressTo(revision: number): Promise<void> {
    const asking = setInterval(() => this.watch.requestProgress(), 50);
    try {
      await this.until(() => this.told >= revision);
    } finally {
      clearInterval(asking);
    }
  }
}
