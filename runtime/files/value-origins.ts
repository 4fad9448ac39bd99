/** Keeps track of where each value of an object comes from that is made from several documents. */
import { isObject, type JsonObject } from '../schema/json/member.ts';

/** The names that lead to a member, from the outermost on. A list has one origin as a whole, so paths do not lead into lists. */
export type MemberPath = readonly string[];

export class ValueOrigins {
  readonly #root: Origin = { members: new Map() };

  /** Notes that the members of a document replace those that were there. A member that is null removes the origin. */
  merge(value: JsonObject, source: string): void {
    mergeInto(this.#root, value, source);
  }

  /** Notes that a value replaces whatever was at its path. */
  replace(path: MemberPath, source: string): void {
    let at = this.#root;
    for (const name of path) at = memberOf(at, name);
    at.members.clear();
    at.source = source;
  }

  /** Returns the origin of a member; undefined if it is a default. */
  of(path: MemberPath): string | undefined {
    let at: Origin | undefined = this.#root;
    let source = at.source;
    for (const name of path) {
      at = at.members.get(name);
      if (at === undefined) return source;
      source = at.source ?? source;
    }
    return source;
  }

  /** Tells whether a member, or something in it, has an origin. */
  has(path: MemberPath): boolean {
    let at: Origin | undefined = this.#root;
    for (const name of path) at = at?.members.get(name);
    return this.of(path) !== undefined || (at !== undefined && isStated(at));
  }
}

interface Origin {
  /** the origin of the whole value; undefined if its members have origins of their own */
  source?: string | undefined;
  readonly members: Map<string, Origin>;
}

const isStated = ({ source, members }: Origin): boolean => source !== undefined || [...members.values()].some(isStated);

function memberOf(origin: Origin, name: string): Origin {
  let member = origin.members.get(name);
  if (member === undefined) {
    member = { members: new Map() };
    origin.members.set(name, member);
  }
  return member;
}

function mergeInto(origin: Origin, value: JsonObject, source: string): void {
  for (const [name, member] of Object.entries(value)) {
    if (member === null) origin.members.delete(name);
    else if (isObject(member)) mergeInto(memberOf(origin, name), member, source);
    else {
      const at = memberOf(origin, name);
      at.members.clear();
      at.source = source;
    }
  }
}
