/**
 * Decides which request the thread for long requests works on next. Usually it has one; while all of its requests wait for others, such as
 * a slow webhook, another may start. Users take turns, and each may have at most half of what the others leave, so that another user always
 * finds room.
 */

/** A request that waits or is under way. */
export interface Turn {
  readonly user: string;
  readonly bytes: number;
}

/** How many requests may be under way. */
const MOST = 64;
/** Limit of the bytes of their bodies together. In memory, a body may take a hundred times its bytes. */
const MOST_BYTES = 8 * 1024 * 1024;

export class LongRequestTurns<T extends Turn> {
  /** waiting requests by user; the user whose turn is next comes first */
  readonly #waiting = new Map<string, T[]>();
  readonly #underWay = new Set<T>();

  get underWay(): ReadonlySet<T> {
    return this.#underWay;
  }

  get isAnyWaiting(): boolean {
    return this.#waiting.size > 0;
  }

  add(turn: T): void {
    const turns = this.#waiting.get(turn.user);
    if (turns === undefined) this.#waiting.set(turn.user, [turn]);
    else turns.push(turn);
  }

  /** @returns the request that is under way from now on; undefined if none may start */
  next(): T | undefined {
    for (const [user, turns] of this.#waiting) {
      const first = turns[0] as T;
      if (!this.#mayBegin(first)) continue;
      turns.shift();
      this.#waiting.delete(user);
      if (turns.length > 0) this.#waiting.set(user, turns);
      this.#underWay.add(first);
      return first;
    }
    return undefined;
  }

  #mayBegin({ user, bytes }: T): boolean {
    if (this.#underWay.size === 0) return true;
    const [own, others] = [
      { count: 1, bytes },
      { count: 0, bytes: 0 },
    ];
    for (const each of this.#underWay) {
      const of = each.user === user ? own : others;
      of.count++;
      of.bytes += each.bytes;
    }
    return 2 * own.count <= MOST - others.count && 2 * own.bytes <= MOST_BYTES - others.bytes;
  }

  /** @returns whether the request was under way */
  remove(turn: T): boolean {
    const turns = this.#waiting.get(turn.user) ?? [];
    const index = turns.indexOf(turn);
    if (index >= 0) turns.splice(index, 1);
    if (turns.length === 0) this.#waiting.delete(turn.user);
    return this.#underWay.delete(turn);
  }

  /** @returns all requests that were under way */
  removeUnderWay(): T[] {
    const all = [...this.#underWay];
    this.#underWay.clear();
    return all;
  }

  /** @returns all requests that were waiting */
  removeWaiting(): T[] {
    const all = [...this.#waiting.values()].flat();
    this.#waiting.clear();
    return all;
  }
}
