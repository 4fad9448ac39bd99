/** Finds in the JSON of an object the metadata that an informer needs, without parsing the rest, which is much longer. */
import type { AnyMetadata } from '../objects/object.ts';

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const SPACE = 0x20;

const METADATA = Buffer.from('metadata');
const MEMBERS = ['name', 'namespace', 'uid', 'resourceVersion'] as const;
type Member = (typeof MEMBERS)[number];
const NAMES: readonly (readonly [Member, Buffer])[] = MEMBERS.map((member) => [member, Buffer.from(member)]);

/**
 * @param json of one object, UTF-8; its other parts are not checked here
 * @returns undefined if the object has to be parsed, for example because a string contains an escape
 */
export function metadataIn(json: Buffer): AnyMetadata | undefined {
  const scan = new Scan(json);
  for (let isMember = scan.begin(); isMember; isMember = scan.next()) {
    if (scan.isNamed(METADATA)) return scan.isAt(OPEN_BRACE) ? membersIn(scan) : undefined;
    if (!scan.skipValue()) return undefined;
  }
  return undefined;
}

function membersIn(scan: Scan): AnyMetadata | undefined {
  const found: { -readonly [M in Member]?: string } = {};
  let missing = MEMBERS.length;
  for (let isMember = scan.begin(); isMember; isMember = scan.next()) {
    const member = NAMES.find(([, name]) => scan.isNamed(name))?.[0];
    if (member === undefined) {
      if (!scan.skipValue()) return undefined;
      continue;
    }
    const value = scan.text();
    if (value === undefined) return undefined;
    found[member] = value;
    // servers write these members first, so the search usually ends early
    if (--missing === 0) return found;
  }
  return scan.isAt(CLOSE_BRACE) ? found : undefined;
}

/** Steps through the members of an object. */
class Scan {
  readonly #json: Buffer;
  #at = 0;
  /** offsets of the last string, without its quotes */
  #start = 0;
  #end = 0;

  constructor(json: Buffer) {
    this.#json = json;
  }

  /** Whether the next byte behind white space is this one. */
  isAt(byte: number): boolean {
    const json = this.#json;
    while (this.#at < json.length && (json[this.#at] as number) <= SPACE) this.#at++;
    return json[this.#at] === byte;
  }

  /** Goes to the first member of the object that begins here. @returns false if there is none, or if the object has to be parsed */
  begin(): boolean {
    return this.isAt(OPEN_BRACE) && this.#member();
  }

  /** Goes to the next member, from behind a value. */
  next(): boolean {
    return this.isAt(COMMA) && this.#member();
  }

  isNamed(name: Buffer): boolean {
    if (this.#end - this.#start !== name.length) return false;
    for (let i = 0; i < name.length; i++) if (this.#json[this.#start + i] !== name[i]) return false;
    return true;
  }

  /** Reads a text value. @returns undefined for other values, and for texts with an escape or without an end */
  text(): string | undefined {
    return this.isAt(QUOTE) && this.#string() ? this.#json.toString('utf8', this.#start, this.#end) : undefined;
  }

  /** Goes from the brace or comma before a member to its value. */
  #member(): boolean {
    this.#at++;
    if (!this.isAt(QUOTE) || !this.#string() || !this.isAt(COLON)) return false;
    this.#at++;
    return true;
  }

  /** @returns false for a string with an escape or without an end */
  #string(): boolean {
    const json = this.#json;
    const start = this.#at + 1;
    for (let i = start; i < json.length; i++) {
      const code = json[i];
      if (code === BACKSLASH) return false;
      if (code !== QUOTE) continue;
      this.#start = start;
      this.#end = i;
      this.#at = i + 1;
      return true;
    }
    return false;
  }

  /** @returns whether it has an end */
  skipValue(): boolean {
    const json = this.#json;
    let depth = 0;
    for (; this.#at < json.length; this.#at++) {
      const code = json[this.#at] as number;
      if (code === QUOTE) {
        if (!this.#skipString()) return false;
      } else if (code === OPEN_BRACE || code === OPEN_BRACKET) depth++;
      else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
        // a number or a word ends where the object or list around it ends
        if (depth === 0) return true;
        if (--depth > 0) continue;
        this.#at++;
        return true;
      } else if (code === COMMA && depth === 0) return true;
    }
    return false;
  }

  /** Goes to the last byte of a string. */
  #skipString(): boolean {
    const json = this.#json;
    for (let i = this.#at + 1; i < json.length; i++) {
      const code = json[i];
      if (code === BACKSLASH) i++;
      else if (code === QUOTE) {
        this.#at = i;
        return true;
      }
    }
    return false;
  }
}
