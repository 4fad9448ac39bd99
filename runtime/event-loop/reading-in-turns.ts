/** Takes in long objects that somebody follows, in pieces of a few milliseconds. Short objects are known at once and do not come here. */
import { inTurns } from './turns.ts';

/** A generator that takes in one object and yields between its pieces. It must not throw. */
export type TakingIn = Generator<void, void, void>;

export class ReadingInTurns {
  /** the work under way, by the key of its object */
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
