/**
 * Objects that come and go with every request, in no order. A Set is the wrong place for them: as often as its table has seen as many removals as it has
 * places, it is made anew, and the table left behind holds whoever was in it then. It lies in the old generation, so they do as well, with all that they
 * refer to, until that is collected. A server with 64 writers kept whole requests in this way, and collected its old generation six times as often.
 */

/** What may be in one list at a time. */
export interface Member {
  /** of the list it is in, which alone may change it; undefined while it is in none */
  place: number | undefined;
}

export class MemberList<T extends Member> implements Iterable<T> {
  readonly #members: (T | undefined)[] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** @param member that is in no list */
  add(member: T): void {
    member.place = this.#size;
    this.#members[this.#size++] = member;
  }

  /** @param member of this list, or of none. @returns whether it was there */
  remove(member: T): boolean {
    const { place } = member;
    if (place === undefined) return false;
    const last = this.#members[--this.#size] as T;
    this.#members[place] = last;
    last.place = place;
    this.#members[this.#size] = undefined;
    member.place = undefined;
    return true;
  }

  /** Members may be removed meanwhile, and one that was given may be given again then; who is added is not given. */
  *[Symbol.iterator](): Iterator<T> {
    for (let place = this.#size - 1; place >= 0; place--) {
      const member = this.#members[place];
      if (member !== undefined) yield member;
    }
  }
}
