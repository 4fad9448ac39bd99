/** Which version of each key is saved: the latest one that can be read. */
import type { FoundRecord } from './records.ts';

/** A key of which not all is saved. */
export interface LostVersion {
  readonly key: string;
  /** the revision of the version that cannot be read; undefined if it is not known whether there was one */
  readonly revision: number | undefined;
  /** the revision of the version that is saved instead; undefined if none is */
  readonly instead: number | undefined;
}

/** The latest version of a key as the tables have it. */
export interface StatedVersion {
  readonly revision: number;
  readonly isDeletion: boolean;
  /** The newest trees say so. Else older ones do, and there may have been a later version. */
  readonly isLatest: boolean;
}

/**
 * Takes what was found of the records and of the keys, in any order, and tells what is to be saved.
 *
 * A record that stands in the log is of a version that was there: compaction drops the versions of a key together with what says that they were followed
 * or deleted. So the newest standing record is the key's latest version, unless the keys have a later one, whose record is lost then. A record that was
 * found elsewhere may have been dropped before: it counts where the keys have it, and where they cannot tell.
 */
export class LatestVersions {
  readonly #standing = new Map<string, FoundRecord>();
  readonly #found = new Map<string, FoundRecord>();
  readonly #stated = new Map<string, StatedVersion>();
  /** the keys by the revisions of all records */
  readonly #keys = new Map<number, string>();
  #newest = 0;

  /** the newest revision of a record */
  get newest(): number {
    return this.#newest;
  }

  /** Whether there is a record of this revision. */
  has(revision: number): boolean {
    return this.#keys.has(revision);
  }

  standing(record: FoundRecord): void {
    this.#keys.set(record.revision, record.key);
    this.#newest = Math.max(this.#newest, record.revision);
    keepNewest(this.#standing, record.key, record);
  }

  /** Takes a record that was found outside the tree of the log. It must be called after all records in that tree have been taken. */
  found(record: FoundRecord): void {
    if (this.#keys.has(record.revision)) return;
    this.#keys.set(record.revision, record.key);
    this.#newest = Math.max(this.#newest, record.revision);
    keepNewest(this.#found, record.key, record);
  }

  stated(key: string, version: StatedVersion): void {
    const known = this.#stated.get(key);
    if (known?.revision === version.revision && known.isLatest) return;
    if (known === undefined || known.revision <= version.revision) this.#stated.set(key, version);
  }

  /**
   * @param upTo revision beyond which the store had none; what is stated of a later one is not what was written
   * @returns in no order
   */
  resolve({ upTo, areKeysWhole, isLogWhole }: Soundness): Resolved {
    const saved: FoundRecord[] = [];
    const lost: LostVersion[] = [];
    const save = (record: FoundRecord | undefined): number | undefined => {
      if (record === undefined || record.isDeletion) return undefined;
      saved.push(record);
      return record.revision;
    };
    for (const key of new Set([...this.#standing.keys(), ...this.#found.keys(), ...this.#stated.keys()])) {
      const [standing, found, stated] = [this.#standing.get(key), this.#found.get(key), this.#credible(key, upTo)];
      if (stated?.isLatest === true && (standing === undefined || standing.revision < stated.revision)) {
        if (stated.isDeletion) continue;
        if (found?.revision === stated.revision) save(found);
        else lost.push({ key, revision: stated.revision, instead: save(newestBefore(stated.revision, standing, found)) });
        continue;
      }
      if (stated === undefined ? areKeysWhole : stated.isLatest) {
        save(standing);
        continue;
      }
      const known = newestBefore(Number.POSITIVE_INFINITY, standing, found);
      const isBehind = stated !== undefined && (known?.revision ?? 0) < stated.revision;
      if (isBehind && stated.isDeletion) continue;
      const instead = save(known);
      if (instead === undefined && isBehind) lost.push({ key, revision: stated.revision, instead });
      if (instead !== undefined && (!isLogWhole || instead !== standing?.revision)) lost.push({ key, revision: undefined, instead });
    }
    return { saved, lost };
  }

  /** The record there may be of another key. */
  #credible(key: string, upTo: number): StatedVersion | undefined {
    const stated = this.#stated.get(key);
    if (stated === undefined || !(stated.revision >= 1 && stated.revision <= upTo)) return undefined;
    return (this.#keys.get(stated.revision) ?? key) === key ? stated : undefined;
  }
}

export interface Soundness {
  readonly upTo: number;
  /** whether the tables have all keys that there were */
  readonly areKeysWhole: boolean;
  /** whether the log has all records that there were */
  readonly isLogWhole: boolean;
}

export interface Resolved {
  readonly saved: readonly FoundRecord[];
  readonly lost: readonly LostVersion[];
}

function keepNewest<Version extends { readonly revision: number }>(versions: Map<string, Version>, key: string, version: Version): void {
  const known = versions.get(key);
  if (known === undefined || known.revision < version.revision) versions.set(key, version);
}

function newestBefore(revision: number, ...records: readonly (FoundRecord | undefined)[]): FoundRecord | undefined {
  let newest: FoundRecord | undefined;
  for (const record of records)
    if (record !== undefined && record.revision < revision && record.revision > (newest?.revision ?? 0)) newest = record;
  return newest;
}
