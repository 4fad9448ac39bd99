/** A group of controllers that read the store together: all objects at one revision, and then each change. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ChangeFollower } from '../../controllers/controller/change-follower.ts';
import type { Controller } from '../../controllers/controller/controller.ts';
import type { Log } from '../../observability/log.ts';
import { RevisionCompacted } from '../../storage/errors.ts';
import type { Storage } from '../../storage/storage.ts';

/**
 * Milliseconds before a failed listing is tried again, and the longest such wait. The wait doubles each time, as that of an informer of
 * 1.32 does.
 */
const FIRST_WAIT = 800;
const LONGEST_WAIT = 30_000;

export interface ControllerGroupParts {
  readonly storage: Storage;
  readonly log: Pick<Log, 'error'>;
  /**
   * receives controllers whose listing fails, usually because one stored object cannot be read, while others of the group succeed. They
   * have left the group by then
   */
  readonly parted: (controllers: readonly Controller[]) => void;
}

export class ControllerGroup {
  readonly #parts: ControllerGroupParts;
  readonly #controllers: Controller[];
  readonly #follower: ChangeFollower;
  /** is resolved while changes are followed, and when the group stops */
  #following = Promise.withResolvers<void>();
  #listing: Promise<void> = Promise.resolve();
  readonly #stopping = new AbortController();

  constructor(controllers: readonly Controller[], parts: ControllerGroupParts) {
    this.#parts = parts;
    this.#controllers = [...controllers];
    this.#follower = new ChangeFollower(parts.storage, this.#controllers, {
      // if changes cannot be read at all, a listing at once would be repeated for each commit: so only a compacted history is listed anew
      // without a wait
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

  /** Starts like `start`, but waits first: the controllers were parted from another group because their listing has just failed. */
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

  /**
   * Lists for all controllers, and parts those that fail from the others.
   * @returns the listed revision; undefined if none of the controllers could list
   */
  async #listed(): Promise<number | undefined> {
    for (;;) {
      const revision = this.#parts.storage.currentRevision();
      const failed = await this.#failing(revision).catch((error) => {
        // The listing took longer than the history is kept: it begins anew at the current revision.
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

  /** @returns the controllers that could not list. @throws RevisionCompacted */
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
   * Resolves when `changed` was called for all that the store held at the time of the call, or when the group has stopped.
   * @returns false if changes were lost meanwhile, so that the caller must call it again
   */
  async caughtUp(): Promise<boolean> {
    await this.#following.promise;
    return this.#isStopped || this.#follower.caughtUp();
  }

  /** Waits for a listing that is under way. No changes are handed on afterwards. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#listing;
    this.#follower.stop();
    this.#following.resolve();
  }
}
