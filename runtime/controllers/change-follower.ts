/** Hands every change of the store to the controllers, in order: one reading for all of them and for all resources. */
import { turn } from '../registry/event-loop-turns.ts';
import { RevisionCompacted, ValueDamaged } from '../storage/errors.ts';
import type { Change, Storage } from '../storage/storage.ts';

export interface ChangeListener {
  /**
   * Called for each change, in the order of revisions; its values are valid during the call.
   * @returns a promise where it takes the change in piece by piece, since the object is long: the next change comes after it
   */
  changed(change: Change): void | Promise<void>;
}

export interface FollowerEvents {
  /** The changes after the last one that was handed on cannot be had any more: nothing follows. */
  lost(error: unknown): void;
  /** A listener threw, which goes on with the next change; or changes could not be read, and are `lost`. Of a value that no listener can read it is told once. */
  failed(error: unknown): void;
}

/** Changes handed on in one synchronous turn. */
const SLICE = 64;

export class ChangeFollower {
  readonly #storage: Storage;
  readonly #listeners: readonly ChangeListener[];
  readonly #events: FollowerEvents;
  /** all changes up to this revision have been handed on */
  #position = 0;
  /** of the revision behind it, as many of its changes */
  #begun: { revision: number; count: number } = { revision: 0, count: 0 };
  /** a turn of the event loop will look at what there is, or is doing so */
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
   * Resolves when every change up to the present revision has been handed on.
   * @returns false where that cannot be, because nothing is followed
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

  /** Commits that come close together are read together, after the requests that wait. */
  #wake(): void {
    if (this.#isAwake) return;
    this.#isAwake = true;
    setImmediate(() => this.#run());
  }

  /** Most of the time there are few changes, and nothing waits for anybody: then it is done at once, without a promise. */
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

  /** @returns a promise where listeners are not done with the last change that was handed on */
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
      // a change that cannot be read is as one that is compacted: a listing goes on behind it
      if (!(error instanceof RevisionCompacted)) this.#events.failed(error);
      this.stop();
      this.#events.lost(error);
    }
    return undefined;
  }

  /** Changes may share a revision: only the next one tells that all of it were handed on. */
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
