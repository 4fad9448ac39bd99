/** The exact form of `parseJson`: it keeps digits, and merges or replaces duplicate members and reports them. */

import { numberOf } from '../scalar/raw-number.ts';
import { noteName } from './backslash-names.ts';
import { type JsonHandler, walkJson } from './json-walk.ts';
import { isObject, type JsonObject, setMember } from './member.ts';
import { type Place, ReportedMembers } from './reported-members.ts';

export interface ParsedJson {
  readonly value: unknown;
  /** paths of the first 100 members that occur twice in one object, such as `spec.containers[0].name`, without repetition, in the order of the text */
  readonly duplicates: string[];
  /** the parsed text; absent if the value was not made from one JSON text */
  readonly text?: string;
}

/**
 * What happens to an object whose name occurred before in the same object: Go merges it into a struct or typed map, and replaces the former
 * value in an untyped one.
 */
export type Repetition = 'adds' | 'replaces';

/** All members, as written, of each object in which a name occurs twice. */
export type WrittenMembers = ReadonlyMap<unknown, readonly (readonly [name: string, value: unknown])[]>;

/**
 * Parses a text and keeps every occurrence of a duplicate member: 1.32 reads each of them into the type, one over the other.
 * @param text valid JSON
 */
export function asWritten(text: string): { readonly value: unknown; readonly members: WrittenMembers } {
  const builder = new Builder('keeps');
  walkJson(text, builder);
  return { value: builder.root, members: builder.members };
}

/** @throws JsonSyntaxError */
export function parseExactly(text: string, repetition: Repetition = 'adds'): ParsedJson {
  const builder = new Builder(repetition);
  walkJson(text, builder);
  return { value: builder.root, duplicates: builder.duplicates, text };
}

/** How many duplicates are reported, as in 1.32. */
const MAX_DUPLICATES = 100;

interface Frame {
  readonly container: JsonObject | unknown[];
  /** for an object: the member whose value is being read */
  key: string;
  /** for an object that is merged into an earlier one: the names in this part of it */
  readonly seen: Set<string> | undefined;
  place?: Place;
}

class Builder implements JsonHandler {
  root: unknown;
  readonly duplicates: string[] = [];
  readonly #reported = new ReportedMembers<Frame>(stepOf);
  /** filled if every occurrence is kept */
  readonly members = new Map<unknown, [string, unknown][]>();
  readonly #frames: Frame[] = [];
  readonly #repetition: Repetition | 'keeps';

  constructor(repetition: Repetition | 'keeps') {
    this.#repetition = repetition;
  }

  beginObject(): void {
    const earlier = this.#earlierObject();
    const container: JsonObject = earlier ?? {};
    if (earlier === undefined) this.#place(container);
    this.#frames.push({ container, key: '', seen: earlier && new Set() });
  }

  beginArray(): void {
    const container: unknown[] = [];
    this.#place(container);
    this.#frames.push({ container, key: '', seen: undefined });
  }

  endObject(): void {
    this.#frames.pop();
  }

  endArray(): void {
    this.#frames.pop();
  }

  member(key: string): void {
    const frame = this.#frames.at(-1) as Frame;
    frame.key = key;
    noteName(key);
    const known = frame.seen === undefined ? Object.hasOwn(frame.container, key) : frame.seen.has(key);
    const path = known && this.duplicates.length < MAX_DUPLICATES ? this.#reported.path(this.#frames) : undefined;
    if (path !== undefined) this.duplicates.push(path);
    frame.seen?.add(key);
  }

  string(value: string): void {
    this.#place(value);
  }

  number(text: string): void {
    this.#place(numberOf(text));
  }

  literal(value: boolean | null): void {
    this.#place(value);
  }

  #place(value: unknown): void {
    const frame = this.#frames.at(-1);
    if (frame === undefined) this.root = value;
    else if (Array.isArray(frame.container)) frame.container.push(value);
    else {
      if (this.#repetition === 'keeps') this.#keep(frame.container, frame.key, value);
      setMember(frame.container, frame.key, value);
    }
  }

  #keep(container: JsonObject, key: string, value: unknown): void {
    const members = this.members.get(container);
    if (members !== undefined) members.push([key, value]);
    else if (Object.hasOwn(container, key)) this.members.set(container, [...Object.entries(container), [key, value]]);
  }

  /** The object of an earlier member with the same name, if this one is merged into it. */
  #earlierObject(): JsonObject | undefined {
    if (this.#repetition !== 'adds') return undefined;
    const frame = this.#frames.at(-1);
    if (frame === undefined || Array.isArray(frame.container) || !Object.hasOwn(frame.container, frame.key)) return undefined;
    const value = frame.container[frame.key];
    return isObject(value) ? value : undefined;
  }
}

const stepOf = ({ container, key }: Frame): string | number => (Array.isArray(container) ? container.length - 1 : key);
