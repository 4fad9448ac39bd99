/** Finds what an informer needs of an object's metadata in its JSON without parsing the rest, of which there is much more. */
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

const METADATA = 'metadata';
const MEMBERS = ['name', 'namespace', 'uid', 'resourceVersion'] as const;
type Member = (typeof MEMBERS)[number];

/**
 * @param json of one object, UTF-8. Whether the rest of it is JSON is for whoever parses it
 * @returns undefined where only parsing tells, as where a string has an escape
 */
export function metadataIn(json: Buffer): AnyMetadata | undefined {
  const scan = new Scan(json);
  for (let name = scan.firstName(); name !== undefined; name = scan.nextName()) {
    if (name === METADATA) return scan.byte === OPEN_BRACE ? membersIn(scan) : undefined;
    if (!scan.skipValue()) return undefined;
  }
  return undefined;
}

function membersIn(scan: Scan): AnyMetadata | undefined {
  const found: { -readonly [M in Member]?: string } = {};
  let missing = MEMBERS.length;
  let name = scan.firstName();
  for (; name !== undefined; name = scan.nextName()) {
    if (!(MEMBERS as readonly string[]).includes(name)) {
      if (!scan.skipValue()) return undefined;
      continue;
    }
    const value = scan.byte === QUOTE ? scan.string() : undefined;
    if (value === undefined) return undefined;
    found[name as Member] = value;
    // servers write them first
    if (--missing === 0) return found;
  }
  return scan.isEnd ? found : undefined;
}

/** Goes over the members of an object. */
class Scan {
  readonly #json: Buffer;
  #at = 0;

  constructor(json: Buffer) {
    this.#json = json;
  }

  /** The one that comes, space left out; undefined behind the end. */
  get byte(): number | undefined {
    const json = this.#json;
    while (this.#at < json.length && (json[this.#at] as number) <= SPACE) this.#at++;
    return json[this.#at];
  }

  /** Whether the object ends here. */
  get isEnd(): boolean {
    return this.byte === CLOSE_BRACE;
  }

  /** Of the object that begins here. @returns undefined where there is none, or only parsing tells */
  firstName(): string | undefined {
    if (this.byte !== OPEN_BRACE) return undefined;
    this.#at++;
    return this.#name();
  }

  /** Behind a value. */
  nextName(): string | undefined {
    if (this.byte !== COMMA) return undefined;
    this.#at++;
    return this.#name();
  }

  #name(): string | undefined {
    const name = this.byte === QUOTE ? this.string() : undefined;
    if (name === undefined || this.byte !== COLON) return undefined;
    this.#at++;
    return name;
  }

  /** @returns undefined for one with an escape, and for one without an end */
  string(): string | undefined {
    const start = this.#at + 1;
    for (let i = start; i < this.#json.length; i++) {
      const code = this.#json[i];
      if (code === BACKSLASH) return undefined;
      if (code !== QUOTE) continue;
      this.#at = i + 1;
      return this.#json.toString('utf8', start, i);
    }
    return undefined;
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
        // the end of what it is in, behind a number or a word
        if (depth === 0) return true;
        if (--depth > 0) continue;
        this.#at++;
        return true;
      } else if (code === COMMA && depth === 0) return true;
    }
    return false;
  }

  /** To its last byte. */
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
