/**
 * Whether etcd is still the one that was read. One that was restored from a backup has lost changes, and gives their revisions once more to others: what is remembered by
 * revisions then, here and by clients, is mixed up with what never was, and nothing but reading all anew helps.
 */
import type { MemoryData } from '../memory/memory-data.ts';
import type { CallLimits } from './client/etcd-client.ts';
import { EtcdError } from './client/etcd-error.ts';
import type { FollowedEtcd } from './followed-etcd.ts';

/** etcd has not the past that was read. */
export class OtherPast extends Error {}

export class EtcdPast {
  readonly #etcd: FollowedEtcd;
  #cluster: bigint | undefined;

  constructor(etcd: FollowedEtcd) {
    this.#etcd = etcd;
  }

  /** The newest revision of etcd. @param known one that etcd has said before. @throws EtcdError, OtherPast */
  async newestRevision(known: number, timeout?: number): Promise<number> {
    const { client, names } = this.#etcd;
    const limits: CallLimits = timeout === undefined ? {} : { timeout };
    const { revision, clusterId } = await client.range({ key: names.prefix, keysOnly: true, limit: 1 }, limits);
    this.#cluster ??= clusterId;
    if (clusterId !== this.#cluster) throw new OtherPast(`etcd has become another cluster, at revision ${revision}`);
    if (revision < known) throw new OtherPast(`etcd is at revision ${revision}, and was at ${known}`);
    return revision;
  }

  /** @param data all that came from etcd. @throws EtcdError, OtherPast */
  async assertSame(data: MemoryData): Promise<void> {
    const last = data.lastChange;
    await this.newestRevision(data.revision);
    if (last === undefined) return;
    const found = await this.#revisionAt(last.key, data.revision);
    if (found === 'compacted' || found === (last.removed ? undefined : last.revision)) return;
    throw new OtherPast(`etcd had a change at revision ${last.revision} that it has no more`);
  }

  /** @returns the revision that a key had at another one; undefined where it had none */
  async #revisionAt(key: string, revision: number): Promise<number | 'compacted' | undefined> {
    const { client, names } = this.#etcd;
    try {
      return (await client.range({ key: names.inEtcd(key), keysOnly: true, revision })).kvs[0]?.modRevision;
    } catch (error) {
      if (error instanceof EtcdError && error.isCompacted) return 'compacted';
      throw error;
    }
  }
}
