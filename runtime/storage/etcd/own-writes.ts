/** Writes of this process that are under way: what comes back of them need not be read from etcd's form again. */
import type { StoredBytes } from '../storage.ts';

export interface OwnWrite {
  readonly key: string;
  /** as etcd has it; undefined: the key is removed */
  readonly sent: Uint8Array | undefined;
  /** of a removal: the revision that is removed */
  readonly expectedRevision: number | undefined;
  /** what was handed over */
  readonly value: StoredBytes;
  /** of etcd's, with which the key goes; absent: none */
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
   * @returns a copy of what was handed over as the value that etcd now has: other servers may write the same bytes just before or behind this
   * write, and each revision says its own in them
   */
  stored(key: string, value: Uint8Array): StoredBytes | undefined {
    return copied(this.#underWay.get(key)?.find(({ sent }) => sent !== undefined && Buffer.compare(sent, value) === 0));
  }

  /** @returns a copy of what followers are to see of the removal, which may be that of another server */
  removed(key: string, revision: number): StoredBytes | undefined {
    return copied(this.#underWay.get(key)?.find(({ sent, expectedRevision }) => sent === undefined && expectedRevision === revision));
  }
}

const copied = (write: OwnWrite | undefined): StoredBytes | undefined =>
  write && { bytes: Buffer.from(write.value.bytes), revisionOffset: write.value.revisionOffset };
