/**
 * Whose turn it is on the thread for long requests. It works on one after the other; but where all that it has wait for somebody else, such as a webhook
 * that hangs, the next one may join them. Users take turns, and nobody gets more than half of what others leave: so a user always finds a place.
 */

/** What waits for a turn, or has it. */
export interface Turn {
  readonly user: string;
  readonly bytes: number;
}

/** Requests that may be under way at once. */
const MOST = 64;
/** Bytes of their bodies: each may become a hundred times as much in memory. */
const MOST_BYTES = 8 * 1024 * 1024;

export class LongRequestTurns<T extends Turn> {
  /** what waits, by user; whose turn is next comes first */
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

  /** @returns what is under way from now on; undefined: nothing waits that may be */
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

  /** @returns whether it was under way */
  remove(turn: T): boolean {
    const turns = this.#waiting.get(turn.user) ?? [];
    const index = turns.indexOf(turn);
    if (index >= 0) turns.splice(index, 1);
    if (turns.length === 0) this.#waiting.delete(turn.user);
    return this.#underWay.delete(turn);
  }

  /** @returns all that was under way */
  removeUnderWay(): T[] {
    const all = [...this.#underWay];
    this.#underWay.clear();
    return all;
  }

  /** @returns all that waited */
  removeWaiting(): T[] {
    const all = [...this.#waiting.values()].flat();
    this.#waiting.clear();
    return all;
  }
}
