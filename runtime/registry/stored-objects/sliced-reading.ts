/**
 * Long stored objects, read a few kilobytes at a time: whoever has to know of them on a thread that others wait for gets what `parse` gives, without
 * holding that thread for longer than it takes to read one piece.
 */
import type { ApiObject } from '../../contract/object.ts';
import { inTurns } from '../../event-loop/turns.ts';
import { noteName } from '../../schema/json/backslash-names.ts';
import { afterString, type Member, type Omitted, textWithout } from '../../schema/json/json-members.ts';
import { type JsonObject, setMember } from '../../schema/json/member.ts';
import { MemberNames } from '../../schema/json/member-names.ts';
import { parseStoredJson } from './parse-stored-json.ts';
import type { StoredObject } from './stored-object.ts';

/** Bytes of a piece: a third of a millisecond, where it is nothing but members. */
const PIECE = 16 * 1024;
/** Bytes of a stored object up to which it is read at once. */
export const READ_AT_ONCE = 64 * 1024;

/** The names of members of an object besides its metadata. */
export type Members = readonly string[];

/**
 * Reads an object with its metadata, but without managedFields, and with some of its other members.
 * @param stored its bytes must not change until the promise is resolved
 */
export async function readInTurns(stored: StoredObject, members: Members): Promise<ApiObject> {
  return (await inTurns(readSlices(stored.json, members))) as unknown as ApiObject;
}

/** Does the same as `readInTurns`, but reads a short object at once, with all of its members. */
export function readParts(stored: StoredObject, members: Members): ApiObject | Promise<ApiObject> {
  return stored.bytes.length > READ_AT_ONCE ? readInTurns(stored, members) : stored.parse();
}

/** Does the same as `readInTurns` in pieces, between which the caller may do something else. @param json the JSON of an object, as this server writes it */
export function* readSlices(json: Buffer, members: Members, piece = PIECE): Generator<void, JsonObject, void> {
  const reader = new SlicedReader(json, piece);
  const object: JsonObject = {};
  let left = members.length;
  for (const name of reader.members()) {
    if (members.includes(name)) left--;
    if (name === 'metadata') object.metadata = yield* reader.metadata(left === 0);
    else if (name === 'kind' || name === 'apiVersion' || members.includes(name)) setMember(object, name, yield* reader.value());
    else yield* reader.skip();
    // metadata stands first
    if (left === 0 && object.metadata !== undefined) break;
  }
  return object;
}

/**
 * Reads a whole JSON value in pieces, between which the caller may do something else.
 * @param json the JSON of the value, as this server writes it
 * @param piece the bytes of a piece
 * @param parse reads a piece; absent for `parseStoredJson`
 */
export const parseSlices = (json: Buffer, piece = PIECE, parse?: Parse): Generator<void, unknown, void> =>
  new SlicedReader(json, piece, parse).value();

type Parse = (json: Buffer) => unknown;

/** Is called for each member of objects that parts are left out of. @param within the names of the members around it, each with a dot behind it */
type Told = (within: string, member: Member) => void;

/** Does the same as `StoredObject.parseWithout` in pieces, between which the caller may do something else. `told` is not called for elements of lists. */
export function* parseSlicesWithout(json: Buffer, omitted: Omitted, told?: Told, piece = PIECE): Generator<void, ApiObject, void> {
  return (yield* new SlicedReader(json, piece).valueWithout(omitted, told, '')) as ApiObject;
}

const QUOTE = 0x22;
const SPACE = 0x20;
const COMMA = 0x2c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;

const isOpening = (byte: number | undefined): boolean => byte === OPEN_BRACE || byte === OPEN_BRACKET;
const isClosing = (byte: number | undefined): boolean => byte === CLOSE_BRACE || byte === CLOSE_BRACKET;

class SlicedReader {
  readonly #json: Buffer;
  readonly #piece: number;
  readonly #parse: Parse;
  #at = 0;
  /** where the last name begins that `members` has returned */
  #nameStart = 0;

  constructor(json: Buffer, piece: number, parse: Parse = parseStoredJson) {
    this.#json = json;
    this.#piece = piece;
    this.#parse = parse;
  }

  /** The names of an object's members; the value of each has to be read or skipped before the next. */
  *members(): Generator<string, void, void> {
    this.#at++;
    for (this.#passSpace(); this.#json[this.#at] !== CLOSE_BRACE; this.#passComma()) {
      const nameStart = this.#at;
      const name = this.#name();
      this.#nameStart = nameStart;
      yield name;
    }
    this.#at++;
  }

  /** Metadata without managedFields, which stand last and may be most of the object. @param isLast nothing is read that follows */
  *metadata(isLast: boolean): Generator<void, JsonObject, void> {
    const metadata: JsonObject = {};
    for (const name of this.members()) {
      if (name !== 'managedFields') setMember(metadata, name, yield* this.value());
      else if (isLast) return metadata;
      else yield* this.skip();
    }
    return metadata;
  }

  *value(): Generator<void, unknown, void> {
    const start = this.#at;
    const end = this.#endWithin(start);
    if (end === undefined) return this.#json[start] === OPEN_BRACKET ? yield* this.#longList() : yield* this.#longObject();
    // a number alone would not be looked at for its digits
    return (this.#parsed('[', start, end, ']') as [unknown])[0];
  }

  *valueWithout(omitted: Omitted, told: Told | undefined, around: string): Generator<void, unknown, void> {
    const { '*': ofElements } = omitted;
    const first = this.#json[this.#at];
    if (first === OPEN_BRACE) return yield* this.#objectWithout(omitted, told, around);
    return first === OPEN_BRACKET && typeof ofElements === 'object' ? yield* this.#listWithout(ofElements) : yield* this.value();
  }

  *#objectWithout(omitted: Omitted, told: Told | undefined, around: string): Generator<void, JsonObject, void> {
    const object: JsonObject = {};
    for (const name of this.members()) {
      const nameStart = this.#nameStart;
      const start = this.#at;
      const within = Object.hasOwn(omitted, name) ? omitted[name] : undefined;
      if (within === true) yield* this.skip();
      else if (within === undefined) setMember(object, name, yield* this.value());
      else setMember(object, name, yield* this.valueWithout(within, told, `${around}${name}.`));
      told?.(around, { name, nameStart, start, end: this.#at });
    }
    return object;
  }

  /** Elements are read together, as those of `#longList`. */
  *#listWithout(ofElements: Omitted): Generator<void, unknown[], void> {
    const list: unknown[] = [];
    this.#at++;
    for (this.#passSpace(); this.#json[this.#at] !== CLOSE_BRACKET; this.#passComma()) {
      const start = this.#at;
      const end = this.#endOfPiece(start);
      if (end === start) list.push(yield* this.valueWithout(ofElements, undefined, ''));
      else {
        const text = textWithout(this.#between('[', start, end, ']'), { '*': ofElements });
        for (const each of parseStoredJson(Buffer.from(text)) as unknown[]) list.push(each);
      }
      yield;
    }
    this.#at++;
    return list;
  }

  *skip(): Generator<void, void, void> {
    let depth = 0;
    let next = this.#at + this.#piece;
    do {
      const byte = this.#json[this.#at];
      if (byte === QUOTE) this.#at = afterString(this.#json, this.#at);
      else {
        if (isOpening(byte)) depth++;
        else if (isClosing(byte)) depth--;
        this.#at++;
      }
      if (this.#at < next) continue;
      next = this.#at + this.#piece;
      yield;
    } while (depth > 0 || !this.#isBehindValue());
  }

  /** Elements are read together, as many as are in a piece. */
  *#longList(): Generator<void, unknown[], void> {
    const list: unknown[] = [];
    this.#at++;
    while (this.#json[this.#at] !== CLOSE_BRACKET) {
      const start = this.#at;
      const end = this.#endOfPiece(start);
      if (end === start) list.push(yield* this.value());
      else for (const each of this.#parsed('[', start, end, ']') as unknown[]) list.push(each);
      this.#passComma();
      yield;
    }
    this.#at++;
    return list;
  }

  *#longObject(): Generator<void, JsonObject, void> {
    const object: JsonObject = {};
    const names = new MemberNames();
    this.#at++;
    while (this.#json[this.#at] !== CLOSE_BRACE) {
      const start = this.#at;
      const end = this.#endOfPiece(start);
      if (end === start) {
        const name = this.#name();
        names.add(name);
        setMember(object, name, yield* this.value());
      } else {
        const some = this.#parsed('{', start, end, '}') as JsonObject;
        for (const name of Object.keys(some)) {
          names.add(name);
          setMember(object, name, some[name]);
        }
      }
      this.#passComma();
      yield;
    }
    this.#at++;
    names.keepWith(object);
    return object;
  }

  #parsed(before: string, start: number, end: number, behind: string): unknown {
    return this.#parse(this.#between(before, start, end, behind));
  }

  /** Passes bytes. @returns them with something around them */
  #between(before: string, start: number, end: number, behind: string): Buffer {
    this.#at = end;
    return Buffer.concat([Buffer.from(before), this.#json.subarray(start, end), Buffer.from(behind)]);
  }

  /** @returns what follows the last element or member from `start` on that ends within a piece; `start` where not even the first does */
  #endOfPiece(start: number): number {
    let end = start;
    let depth = 0;
    for (let at = start; at < start + this.#piece; ) {
      const byte = this.#json[at];
      if (depth === 0 && (byte === COMMA || isClosing(byte))) {
        end = at;
        if (byte !== COMMA) break;
      }
      if (byte === QUOTE) at = afterString(this.#json, at);
      else {
        if (isOpening(byte)) depth++;
        else if (isClosing(byte)) depth--;
        at++;
      }
    }
    return end;
  }

  /** @returns what follows the value at `start`; undefined for a list or an object that is longer than a piece */
  #endWithin(start: number): number | undefined {
    if (this.#json[start] === QUOTE) return afterString(this.#json, start);
    let depth = 0;
    for (let at = start; at < this.#json.length; ) {
      const byte = this.#json[at];
      if (depth === 0 && at > start && (byte === COMMA || byte === SPACE || isClosing(byte))) return at;
      if (depth > 0 && at - start > this.#piece) return undefined;
      if (byte === QUOTE) at = afterString(this.#json, at);
      else {
        if (isOpening(byte)) depth++;
        else if (isClosing(byte)) depth--;
        at++;
      }
      if (depth === 0 && isClosing(byte)) return at;
    }
    return this.#json.length;
  }

  #name(): string {
    const start = this.#at;
    const end = afterString(this.#json, start);
    // the colon
    this.#at = end + 1;
    const name = parseStoredJson(this.#json.subarray(start, end)) as string;
    noteName(name);
    return name;
  }

  #passComma(): void {
    this.#passSpace();
    if (this.#json[this.#at] === COMMA) this.#at++;
  }

  /** Passes spaces, which the store leaves behind revisions. */
  #passSpace(): void {
    while (this.#json[this.#at] === SPACE) this.#at++;
  }

  /** Whether a value has ended, of which something was passed: a number or a word ends where the next thing begins. */
  #isBehindValue(): boolean {
    const byte = this.#json[this.#at];
    return byte === undefined || byte === COMMA || byte === SPACE || isClosing(byte);
  }
}
