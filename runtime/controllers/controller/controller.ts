import type { Change } from '../../storage/storage.ts';

/** A controller: it runs in the server, and changes stored objects until the state is what the objects ask for. */
export interface Controller {
  /**
   * Reads all objects of the store at a revision, and forgets what the controller knew before. Yields every few milliseconds.
   * @throws RevisionCompacted
   */
  list(revision: number): Promise<void>;
  /** Notes one change after that revision; see `ChangeListener`. */
  changed(change: Change): void | Promise<void>;
  /** Begins no more work, and waits for the work under way. */
  stop(): Promise<void>;
}
