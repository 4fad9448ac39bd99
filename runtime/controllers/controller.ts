import type { Change } from '../storage/storage.ts';

/** Something that runs in the server and makes the state of the store what its objects ask for. */
export interface Controller {
  /**
   * Takes in all that the store holds at a revision, and forgets what it knew before. Yields every few milliseconds.
   * @throws RevisionCompacted
   */
  list(revision: number): Promise<void>;
  /** Takes in one change after that revision; see ChangeListener. */
  changed(change: Change): void | Promise<void>;
  /** Waits for the work under way; nothing more begins. */
  stop(): Promise<void>;
}
