/** Writes of this process that are under way. When the watch tells their changes, the values need not be decoded from etcd's form. */
import type { StoredBytes } from '../storage.ts';

export interface OwnWrite {
  readonly key: string;
  /** the value in etcd's form; undefined: the key is removed */
  readonly sent: Uint8Array | undefined;
  /** the revision that is replaced or removed; undefined: the key is created */
  readonly expectedRevision: number | undefined;
  /** the value as the caller gave it; of a removal the last value, for watches */
  readonly value: StoredBytes;
  /** etcd's lease, with which the key expires; absent: none */
  readonly lease?: bigint;
}

export class OwnWrites {
  readonly #underWay = new Map<string, OwnWrite[]>();

  begin(write: OwnWrite): void {
    const others = this.#underWay.get(write.key);
    if (others === undefined) this.#underWay.set(write.key, [write]);
    else others.push(write);
  }

  end(write: OwnWrite): void {
    const left = this.#underWay.get(write.key)?.filter((other) => other !== write) ?? [];
    if (left.length === 0) this.#underWay.delete(write.key);
    else this.#underWay.set(write.key, left);
  }

  /**
   * @returns a copy of the value that was given for these bytes. It is a copy, because other servers may write the same bytes just before or after this
   * write, and each version gets its own revision filled in
   */
  stored(key: string, value: Uint8Array): StoredBytes | undefined {
    return copied(this.#underWay.get(key)?.find(({ sent }) => sent !== undefined && Buffer.compare(sent, value) === 0));
  }

  /** @returns a copy of the value that watches show for the removal. The removal may also be another server's */
  removed(key: string, revision: number): StoredBytes | undefined {
    return copied(this.#underWay.get(key)?.find(({ sent, expectedRevision }) => sent === undefined && expectedRevision === revision));
  }
}

const copied = (write: OwnWrite | undefined): StoredBytes | undefined =>
  write && { bytes: Buffer.from(write.value.bytes), revisionOffset: write.value.revisionOffset };
