/** JSON as 1.32 writes it to etcd: what HTML gives a meaning is escaped, and members of objects that have no struct stand in the order of their names. */
import { inTurns } from '../../event-loop/turns.ts';
import { parseJson } from '../../schema/json/json-text.ts';
import { ESCAPED_CHARACTERS, escapedAsInGo } from '../../schema/structural/go-json.ts';
import { isLong } from '../stored-objects/long-value.ts';

const ESCAPED_BYTES = ESCAPED_CHARACTERS.map((each) => Buffer.from(each));

/** @param json in which these characters stand within texts alone, as in all JSON. @returns the same bytes where there are none */
export function goText(json: Buffer): Buffer {
  if (!ESCAPED_BYTES.some((each) => json.includes(each))) return json;
  return Buffer.from(escapedAsInGo(json.toString()));
}

/** @param json of one object, as this server has written it: without spaces, but for what follows the object. @returns a promise where it is long */
export function goObject(json: Buffer): Buffer | Promise<Buffer> {
  const work = new Ordering(json).whole();
  if (isLong(json, 'reading')) return inTurns(work);
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** An element, or a member with its name. */
interface Part {
  readonly start: number;
  /** behind the name's quotes; `start` in a list */
  readonly nameEnd: number;
  end: number;
  /** its text where that is another one than the one that stands there */
  text: string | undefined;
}

/** An object or a list whose end is not read yet. */
interface Container {
  readonly start: number;
  readonly isObject: boolean;
  readonly parts: Part[];
  /** whether each name follows the one before it */
  isOrdered: boolean;
  /** whether its parts are as they stand there */
  isSame: boolean;
}

/** Values that are read in one piece of the work. */
const PIECE = 1_000;

/**
 * Reads each byte once, as a character of its own, so that texts compare as their bytes do. It does not recurse. Most objects are in order: nothing is made of these but
 * one piece of the text.
 */
class Ordering {
  readonly #text: string;
  readonly #around: Container[] = [];
  #at = 0;

  constructor(json: Buffer) {
    this.#text = json.toString('latin1');
  }

  *whole(): Generator<void, Buffer, void> {
    for (let read = 1; ; read++) {
      if (this.#endsValue()) {
        const whole = this.#placed();
        if (whole !== undefined) return goText(Buffer.from(whole + this.#text.slice(this.#at), 'latin1'));
      }
      if (read % PIECE === 0) yield;
    }
  }

  /** @returns false where a list or an object begins that has something in it */
  #endsValue(): boolean {
    const text = this.#text;
    const first = text.charCodeAt(this.#at);
    if (first === OPEN_BRACE || first === OPEN_BRACKET) return this.#begin(first === OPEN_BRACE);
    this.#at = first === QUOTE ? afterText(text, this.#at) : afterScalar(text, this.#at);
    return true;
  }

  /** @returns whether it ends at once */
  #begin(isObject: boolean): boolean {
    const start = this.#at++;
    const next = this.#text.charCodeAt(this.#at);
    if (next === CLOSE_BRACE || next === CLOSE_BRACKET) {
      this.#at++;
      return true;
    }
    const container = { start, isObject, parts: [], isOrdered: true, isSame: true };
    this.#around.push(container);
    this.#beginPart(container);
    return false;
  }

  #beginPart(container: Container): void {
    const { isObject, parts } = container;
    const start = this.#at;
    const part = { start, nameEnd: isObject ? afterText(this.#text, start) : start, end: start, text: undefined };
    if (isObject) {
      this.#at = part.nameEnd + 1;
      const before = parts.at(-1);
      if (before !== undefined && container.isOrdered) container.isOrdered = !this.#precedes(part, before);
    }
    parts.push(part);
  }

  /** Puts the value that has ended where it belongs, and all containers that end behind it. @returns the text of the outermost one when that ends */
  #placed(): string | undefined {
    let changed: string | undefined;
    for (let around = this.#around.at(-1); around !== undefined; around = this.#around.at(-1)) {
      const part = around.parts.at(-1) as Part;
      part.end = this.#at;
      if (changed !== undefined) {
        part.text = this.#text.slice(part.start, around.isObject ? part.nameEnd + 1 : part.start) + changed;
        around.isSame = false;
      }
      if (this.#text.charCodeAt(this.#at++) === COMMA) {
        this.#beginPart(around);
        return undefined;
      }
      this.#around.pop();
      changed = around.isOrdered && around.isSame ? undefined : this.#changed(around);
    }
    return changed ?? this.#text.slice(0, this.#at);
  }

  #changed({ parts, isObject, isOrdered }: Container): string {
    const ordered = isOrdered ? parts : [...parts].sort((a, b) => (this.#precedes(a, b) ? -1 : 1));
    let text = isObject ? '{' : '[';
    for (const part of ordered) {
      if (part !== ordered[0]) text += ',';
      text += part.text ?? this.#text.slice(part.start, part.end);
    }
    return text + (isObject ? '}' : ']');
  }

  /** Whether a part's name comes before another one's. */
  #precedes(a: Part, b: Part): boolean {
    const text = this.#text;
    for (let i = a.start + 1, j = b.start + 1; ; i++, j++) {
      const x = text.charCodeAt(i);
      const y = text.charCodeAt(j);
      // what is written otherwise than it is says nothing by its characters
      if (x === BACKSLASH || y === BACKSLASH) return nameOf(text.slice(a.start, a.nameEnd)) < nameOf(text.slice(b.start, b.nameEnd));
      const aEnds = i === a.nameEnd - 1;
      const bEnds = j === b.nameEnd - 1;
      if (aEnds || bEnds) return aEnds && !bEnds;
      if (x !== y) return x < y;
    }
  }
}

/** The bytes of a name that stands with its quotes. */
function nameOf(label: string): string {
  if (!label.includes('\\')) return label.slice(1, -1);
  const text = parseJson(Buffer.from(label, 'latin1').toString()).value as string;
  return Buffer.from(text).toString('latin1');
}

function afterText(text: string, start: number): number {
  let i = start + 1;
  while (i < text.length && text.charCodeAt(i) !== QUOTE) i += text.charCodeAt(i) === BACKSLASH ? 2 : 1;
  return i + 1;
}

/** Numbers and words end before what is behind them in their container. */
function afterScalar(text: string, start: number): number {
  let i = start;
  for (; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === COMMA || code === CLOSE_BRACE || code === CLOSE_BRACKET) break;
  }
  return i;
}
