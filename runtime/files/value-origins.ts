/** Where each value of an object comes from that several documents have made together. */
import { isObject, type JsonObject } from '../schema/member.ts';

/** Names of members, from the outermost on. Lists are values: they have one origin. */
export type MemberPath = readonly string[];

export class ValueOrigins {
  readonly #root: Origin = { members: new Map() };

  /** What a document brings counts from now on: its members each for themselves, those that are null as if nobody had said anything. */
  merge(value: JsonObject, source: string): void {
    mergeInto(this.#root, value, source);
  }

  /** A value has taken the place of whatever was there. */
  replace(path: MemberPath, source: string): void {
    let at = this.#root;
    for (const name of path) at = memberOf(at, name);
    at.members.clear();
    at.source = source;
  }

  /** @returns undefined for what nobody has said: it is a default */
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

  /** Whether anybody has said something of a member, or of something in it. */
  has(path: MemberPath): boolean {
    let at: Origin | undefined = this.#root;
    for (const name of path) at = at?.members.get(name);
    return this.of(path) !== undefined || (at !== undefined && isStated(at));
  }
}

interface Origin {
  /** of the whole value; undefined: of its members each for itself */
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
