/** All files of a process that are read again while it runs: when they change, and all at once when somebody asks (SIGHUP). */

export type Reading = 'changed' | 'same' | 'failed';

/** One of them. */
export interface FollowedFile {
  /** Reads it now; one that was not used before is tried again, although it is the same. */
  readAgain(): Promise<Reading>;
}

/** Numbers of files. What has failed was told when it did. */
export type Reread = Readonly<Record<Reading, number>>;

export class FollowedFiles {
  readonly #all = new Set<FollowedFile>();

  add(file: FollowedFile): void {
    this.#all.add(file);
  }

  remove(file: FollowedFile): void {
    this.#all.delete(file);
  }

  /** Reads all, one after the other in the order in which they were added. */
  async readAgain(): Promise<Reread> {
    const count = { changed: 0, same: 0, failed: 0 };
    for (const file of [...this.#all]) count[await file.readAgain()]++;
    return count;
  }
}
