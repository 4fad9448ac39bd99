/** Long objects that somebody follows, taken in a few milliseconds at a time. What is known of the others is known at once. */
import { inTurns } from './event-loop-turns.ts';

/** What takes in one object, and yields between its pieces. Must not throw. */
export type TakingIn = Generator<void, void, void>;

export class ReadingInTurns {
  /** by key of the object */
  readonly #current = new Map<string, TakingIn>();
  readonly #underWay = new Set<Promise<void>>();

  /** Begins to take in an object as it is now. What was begun for the same key ends where it is. */
  begin(key: string, work: TakingIn): void {
    this.#current.set(key, work);
    const done = inTurns(this.#whileCurrent(key, work)).finally(() => this.#underWay.delete(done));
    this.#underWay.add(done);
  }

  *#whileCurrent(key: string, work: TakingIn): TakingIn {
    while (this.#current.get(key) === work) {
      if (work.next().done === true) this.#current.delete(key);
      yield;
    }
  }

  /** Ends what was begun for a key, which has changed. */
  end(key: string): void {
    this.#current.delete(key);
  }

  clear(): void {
    this.#current.clear();
  }

  /** Resolves when all that has begun is taken in; undefined where nothing has. Never rejects. */
  get pending(): Promise<unknown> | undefined {
    return this.#underWay.size === 0 ? undefined : Promise.allSettled(this.#underWay);
  }
}
