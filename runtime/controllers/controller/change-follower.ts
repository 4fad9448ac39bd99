/** Hands every change of the store to controllers, in order. Each change is read once for all controllers and resources. */
import { turn } from '../../event-loop/turns.ts';
import { RevisionCompacted, ValueDamaged } from '../../storage/errors.ts';
import type { Change, Storage } from '../../storage/storage.ts';

export interface ChangeListener {
  /**
   * Called with each change, in the order of revisions. The values of the change are good during the call.
   * @returns a promise where it reads a long object piece by piece: the next change comes when the promise is resolved
   */
  changed(change: Change): void | Promise<void>;
}

export interface FollowerEvents {
  /** Called when the next changes cannot be read any more. No change is handed on after that. */
  lost(error: unknown): void;
  /**
   * Called when a listener threw, which then gets the next change all the same, and when changes could not be read, before `lost`. Called once for a value that
   * several listeners could not read.
   */
  failed(error: unknown): void;
}

/** Changes that are handed on in one synchronous turn, at most. */
const SLICE = 64;

export class ChangeFollower {
  readonly #storage: Storage;
  readonly #listeners: readonly ChangeListener[];
  readonly #events: FollowerEvents;
  /** all changes up to this revision were handed on */
  #position = 0;
  /** the next revision, and how many of its changes were handed on */
  #begun: { revision: number; count: number } = { revision: 0, count: 0 };
  /** a turn of the event loop will read changes, or is reading them */
  #isAwake = false;
  #stop: (() => void) | undefined;

  constructor(storage: Storage, listeners: readonly ChangeListener[], events: FollowerEvents) {
    this.#storage = storage;
    this.#listeners = listeners;
    this.#events = events;
  }

  /** @param after exclusive revision */
  start(after: number): void {
    this.#position = after;
    this.#stop = this.#storage.onCommit(() => this.#wake());
    this.#wake();
  }

  /**
   * Resolves when every change up to the current revision was handed on.
   * @returns false where that cannot be, because it was not started, or was stopped
   */
  async caughtUp(): Promise<boolean> {
    if (this.#stop === undefined) return false;
    const target = this.#storage.currentRevision();
    while (this.#stop !== undefined && this.#position < target) {
      const taking = this.#advance();
      if (taking !== undefined) await taking;
      else if (this.#position < target) await turn();
    }
    return this.#stop !== undefined;
  }

  stop(): void {
    this.#stop?.();
    this.#stop = undefined;
  }

  /** Reads changes in a later turn of the event loop, so that commits which come close together are read together, behind requests that wait. */
  #wake(): void {
    if (this.#isAwake) return;
    this.#isAwake = true;
    setImmediate(() => this.#run());
  }

  /** Usually there are few changes, and no listener waits: then all is done at once, without a promise. */
  #run(): void {
    const taking = this.#stop && this.#advance();
    if (taking === undefined && !this.#isBehind) this.#isAwake = false;
    else void this.#goOn(taking);
  }

  async #goOn(taking: Promise<unknown> | undefined): Promise<void> {
    await (taking ?? turn());
    await this.caughtUp();
    this.#isAwake = false;
    if (this.#isBehind) this.#wake();
  }

  get #isBehind(): boolean {
    return this.#stop !== undefined && this.#position < this.#storage.currentRevision();
  }

  /** Passes one slice of changes on. @returns a promise if listeners have not finished with a change yet, which ends the slice */
  #advance(): Promise<unknown> | undefined {
    const revision = this.#storage.currentRevision();
    let count = 0;
    try {
      const { revision: begun } = this.#begun;
      let { count: handedOn } = this.#begun;
      for (const change of this.#storage.changes(this.#position, '', SLICE)) {
        count++;
        if (change.revision === begun && handedOn-- > 0) continue;
        this.#begin(change.revision);
        const taking = this.#handOn(change);
        if (taking !== undefined) return taking;
      }
      this.#position = Math.max(this.#position, this.#begun.revision);
      if (count < SLICE) this.#position = Math.max(this.#position, revision);
    } catch (error) {
      // after a change that cannot be read, as after a compaction, controllers have to list anew
      if (!(error instanceof RevisionCompacted)) this.#events.failed(error);
      this.stop();
      this.#events.lost(error);
    }
    return undefined;
  }

  /** Counts the changes of a revision. Several may share it: only a change of the next revision shows that all of them were handed on. */
  #begin(revision: number): void {
    const { revision: begun, count } = this.#begun;
    if (revision > begun) this.#position = Math.max(this.#position, begun);
    this.#begun = { revision, count: revision > begun ? 1 : count + 1 };
  }

  #handOn(change: Change): Promise<unknown> | undefined {
    let taking: Promise<void>[] | undefined;
    let isDamageTold = false;
    const failed = (error: unknown): void => {
      const isDamage = error instanceof ValueDamaged;
      if (!(isDamage && isDamageTold)) this.#events.failed(error);
      isDamageTold ||= isDamage;
    };
    for (const listener of this.#listeners) {
      try {
        const pending = listener.changed(change);
        if (pending === undefined) continue;
        taking ??= [];
        taking.push(pending.catch(failed));
      } catch (error) {
        failed(error);
      }
    }
    return taking && Promise.all(taking);
  }
}
