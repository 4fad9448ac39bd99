/** The exact form of `parseJson`: digits are kept, duplicate members are added or replaced, and reported. */
import { noteName } from './backslash-names.ts';
import { type JsonHandler, walkJson } from './json-walk.ts';
import { isObject, type JsonObject, setMember } from './member.ts';
import { numberOf } from './scalar/raw-number.ts';

export interface ParsedJson {
  readonly value: unknown;
  /** paths of members that stand twice in one object, such as `spec.containers[0].name`; each once, in the order of the text */
  readonly duplicates: string[];
  /** what was parsed; absent where the value was not made from one JSON text */
  readonly text?: string;
}

/**
 * What becomes of an object whose name has stood before in the same object: Go adds it to what a struct or a map of a type holds, and
 * replaces what stood there where it reads into values without a type.
 */
export type Repetition = 'adds' | 'replaces';

/** Members of an object in which a name stands twice, as they are written. */
export type WrittenMembers = ReadonlyMap<unknown, readonly (readonly [name: string, value: unknown])[]>;

/** A document in which nothing has been added or replaced: 1.32 reads every member into the type, a later one over an earlier one. @param text of valid JSON */
export function asWritten(text: string): { readonly value: unknown; readonly members: WrittenMembers } {
  const builder = new Builder('keeps');
  walkJson(text, builder);
  return { value: builder.root, members: builder.members };
}

/** @throws JsonSyntaxError */
export function parseExactly(text: string, repetition: Repetition = 'adds'): ParsedJson {
  const builder = new Builder(repetition);
  walkJson(text, builder);
  return { value: builder.root, duplicates: [...builder.duplicates], text };
}

interface Frame {
  readonly container: JsonObject | unknown[];
  /** of an object: the member whose value is being read */
  key: string;
  /** of an object that continues an earlier one of the same name: the names in this part of it */
  readonly seen: Set<string> | undefined;
}

class Builder implements JsonHandler {
  root: unknown;
  readonly duplicates = new Set<string>();
  /** where every member is kept */
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
    if (known) this.duplicates.add(pathOf(this.#frames));
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

  /** The object that an earlier member of the same name holds, where a second one adds to it. */
  #earlierObject(): JsonObject | undefined {
    if (this.#repetition !== 'adds') return undefined;
    const frame = this.#frames.at(-1);
    if (frame === undefined || Array.isArray(frame.container) || !Object.hasOwn(frame.container, frame.key)) return undefined;
    const value = frame.container[frame.key];
    return isObject(value) ? value : undefined;
  }
}

function pathOf(frames: readonly Frame[]): string {
  let path = '';
  for (const { container, key } of frames) {
    if (Array.isArray(container)) path += `[${container.length - 1}]`;
    else path += path === '' ? key : `.${key}`;
  }
  return path;
}
