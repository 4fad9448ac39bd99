/** Controllers that take in the store together: all that it holds at one revision, then each change. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ChangeFollower } from '../controllers/change-follower.ts';
import type { Controller } from '../controllers/controller.ts';
import type { Log } from '../observability/log.ts';
import { RevisionCompacted } from '../storage/errors.ts';
import type { Storage } from '../storage/storage.ts';

/** Milliseconds before the second attempt to list what cannot be listed, and between two attempts at most: as an informer of 1.32 waits. */
const FIRST_WAIT = 800;
const LONGEST_WAIT = 30_000;

export interface ControllerGroupParts {
  readonly storage: Storage;
  readonly log: Pick<Log, 'error'>;
  /** takes controllers that cannot list, by an object that cannot be read as a rule, while others of the group can: they are in it no longer */
  readonly parted: (controllers: readonly Controller[]) => void;
}

export class ControllerGroup {
  readonly #parts: ControllerGroupParts;
  readonly #controllers: Controller[];
  readonly #follower: ChangeFollower;
  /** resolved while changes are followed, and when everything ends */
  #following = Promise.withResolvers<void>();
  #listing: Promise<void> = Promise.resolve();
  readonly #stopping = new AbortController();

  constructor(controllers: readonly Controller[], parts: ControllerGroupParts) {
    this.#parts = parts;
    this.#controllers = [...controllers];
    this.#follower = new ChangeFollower(parts.storage, this.#controllers, {
      // Where changes cannot be read at all, each commit would have everything listed anew.
      lost: (error) => this.#begin(error instanceof RevisionCompacted ? 0 : FIRST_WAIT),
      failed: (error) => parts.log.error({ err: error }, 'a controller could not take in a change'),
    });
  }

  has(controller: Controller): boolean {
    return this.#controllers.includes(controller);
  }

  /** Begins to list and follow. */
  start(): void {
    this.#begin(0);
  }

  /** As one of those that are parted from others, which have just failed to list. */
  startLater(): void {
    this.#begin(FIRST_WAIT);
  }

  /** @param wait milliseconds before the first listing */
  #begin(wait: number): void {
    this.#following = Promise.withResolvers();
    this.#listing = this.#list(wait).catch((error) => {
      if (!this.#isStopped) this.#parts.log.error({ err: error }, 'controllers do not run');
    });
  }

  get #isStopped(): boolean {
    return this.#stopping.signal.aborted;
  }

  async #list(first: number): Promise<void> {
    for (let wait = first; ; wait = Math.min(LONGEST_WAIT, Math.max(FIRST_WAIT, wait * 2))) {
      if (wait > 0) await sleep(wait, undefined, { signal: this.#stopping.signal });
      const revision = await this.#listed();
      if (revision === undefined) continue;
      if (!this.#isStopped) this.#follower.start(revision);
      return this.#following.resolve();
    }
  }

  /** Whoever cannot list is parted from the others. @returns the revision at which they have; undefined where none of them can */
  async #listed(): Promise<number | undefined> {
    for (;;) {
      const revision = this.#parts.storage.currentRevision();
      const failed = await this.#failing(revision).catch((error) => {
        // The history was shorter than the listing: it begins anew.
        if (error instanceof RevisionCompacted) return undefined;
        throw error;
      });
      if (failed === undefined) continue;
      if (failed.length > 0 && failed.length === this.#controllers.length) return undefined;
      for (const each of failed) this.#controllers.splice(this.#controllers.indexOf(each), 1);
      if (failed.length > 0) this.#parts.parted(failed);
      return revision;
    }
  }

  /** @returns those that could not list. @throws RevisionCompacted */
  async #failing(revision: number): Promise<Controller[]> {
    const failed: Controller[] = [];
    for (const controller of this.#controllers) {
      this.#stopping.signal.throwIfAborted();
      await controller.list(revision).catch((error) => {
        if (error instanceof RevisionCompacted) throw error;
        const { name } = controller.constructor;
        this.#parts.log.error(
          { err: error, controller: name },
          'a controller does not run, for it cannot list what it needs: it is tried again',
        );
        failed.push(controller);
      });
    }
    return failed;
  }

  /**
   * Resolves when `changed` was called for all that the store holds at the time of the call, and when the group has stopped.
   * @returns false where that has to be asked anew, for changes were lost
   */
  async caughtUp(): Promise<boolean> {
    await this.#following.promise;
    return this.#isStopped || this.#follower.caughtUp();
  }

  /** Waits for the listing that is under way; nothing more is handed on. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#listing;
    this.#follower.stop();
    this.#following.resolve();
  }
}
