/**
 * Checks whether etcd still has the past that was read. After a restore from a backup some changes are lost, and their revisions are given to other
 * changes. Then revisions that this server and its clients remember mean something else, and only reading everything anew helps.
 */
import type { MemoryData } from '../memory/memory-data.ts';
import type { CallLimits } from './client/etcd-client.ts';
import { EtcdError } from './client/etcd-error.ts';
import type { FollowedEtcd } from './followed-etcd.ts';

/** etcd does not have the past that was read. */
export class OtherPast extends Error {}

export class EtcdPast {
  readonly #etcd: FollowedEtcd;
  #cluster: bigint | undefined;

  constructor(etcd: FollowedEtcd) {
    this.#etcd = etcd;
  }

  /** Returns the newest revision of etcd. @param known a revision that etcd has reached before. @throws EtcdError, OtherPast */
  async newestRevision(known: number, timeout?: number): Promise<number> {
    const { client, names } = this.#etcd;
    const limits: CallLimits = timeout === undefined ? {} : { timeout };
    const { revision, clusterId } = await client.range({ key: names.prefix, keysOnly: true, limit: 1 }, limits);
    this.#cluster ??= clusterId;
    if (clusterId !== this.#cluster) throw new OtherPast(`etcd has become another cluster, at revision ${revision}`);
    if (revision < known) throw new OtherPast(`etcd is at revision ${revision}, and was at ${known}`);
    return revision;
  }

  /** @param data everything that came from etcd. @throws EtcdError; OtherPast if etcd does not have it */
  async assertSame(data: MemoryData): Promise<void> {
    const last = data.lastChange;
    await this.newestRevision(data.revision);
    if (last === undefined) return;
    const found = await this.#revisionAt(last.key, data.revision);
    if (found === 'compacted' || found === (last.removed ? undefined : last.revision)) return;
    throw new OtherPast(`etcd had a change at revision ${last.revision} that it has no more`);
  }

  /** @returns the last change of a key, as it was at a revision; undefined if the key did not exist then */
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
