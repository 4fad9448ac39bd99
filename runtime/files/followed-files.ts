/** All files of a process that are read again while it runs: when they change, and all at once when somebody asks (SIGHUP). */

export type Reading = 'changed' | 'same' | 'failed';

/** A file that is followed. */
export interface FollowedFile {
  /** Reads the file now. A text that could not be used before is tried again, even if it has not changed. */
  readAgain(): Promise<Reading>;
}

/** How many files were read with which result. Failures were logged when they occurred. */
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
