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

/** An object or a list whose end is not read yet. */
interface Container {
  /** texts of elements, or of members with their names */
  readonly parts: string[];
  /** names of members in the order of the parts; undefined: it is a list */
  readonly names: string[] | undefined;
  /** the name of the member that is read, as it is written, with its colon; empty in a list */
  label: string;
  /** whether each name follows the one before it */
  isOrdered: boolean;
}

/** Values that are read in one piece of the work. */
const PIECE = 1_000;

/** Reads each byte once, as a character of its own, so that texts compare as their bytes do. It does not recurse. */
class Ordering {
  readonly #text: string;
  readonly #around: Container[] = [];
  #at = 0;

  constructor(json: Buffer) {
    this.#text = json.toString('latin1');
  }

  *whole(): Generator<void, Buffer, void> {
    for (let read = 1; ; read++) {
      const value = this.#value();
      const whole = value === undefined ? undefined : this.#placed(value);
      if (whole !== undefined) return goText(Buffer.from(whole + this.#text.slice(this.#at), 'latin1'));
      if (read % PIECE === 0) yield;
    }
  }

  /** @returns undefined where a list or an object begins that has something in it */
  #value(): string | undefined {
    const text = this.#text;
    const start = this.#at;
    const first = text.charCodeAt(start);
    if (first === OPEN_BRACE || first === OPEN_BRACKET) return this.#begin(first === OPEN_BRACE);
    this.#at = first === QUOTE ? afterText(text, start) : afterScalar(text, start);
    return text.slice(start, this.#at);
  }

  #begin(isObject: boolean): string | undefined {
    const next = this.#text.charCodeAt(++this.#at);
    if (next === CLOSE_BRACE || next === CLOSE_BRACKET) {
      this.#at++;
      return isObject ? '{}' : '[]';
    }
    const container = { parts: [], names: isObject ? [] : undefined, label: '', isOrdered: true };
    this.#around.push(container);
    this.#readName(container);
    return undefined;
  }

  #readName(container: Container): void {
    const { names } = container;
    if (names === undefined) return;
    const end = afterText(this.#text, this.#at);
    container.label = this.#text.slice(this.#at, end + 1);
    this.#at = end + 1;
    const name = nameOf(container.label);
    if (names.length > 0 && name < (names.at(-1) as string)) container.isOrdered = false;
    names.push(name);
  }

  /** Puts a value where it belongs, and all containers that end behind it. @returns the text of the outermost one when that ends */
  #placed(value: string): string | undefined {
    let ended = value;
    for (let around = this.#around.at(-1); around !== undefined; around = this.#around.at(-1)) {
      around.parts.push(around.label + ended);
      if (this.#text.charCodeAt(this.#at++) === COMMA) {
        this.#readName(around);
        return undefined;
      }
      this.#around.pop();
      ended = textOf(around);
    }
    return ended;
  }
}

function textOf({ parts, names, isOrdered }: Container): string {
  if (names === undefined) return `[${parts.join(',')}]`;
  if (isOrdered) return `{${parts.join(',')}}`;
  const order = [...names.keys()].sort((a, b) => ((names[a] as string) < (names[b] as string) ? -1 : 1));
  return `{${order.map((each) => parts[each]).join(',')}}`;
}

/** The bytes of a name that stands with its quotes and a colon. */
function nameOf(label: string): string {
  if (!label.includes('\\')) return label.slice(1, -2);
  const text = parseJson(Buffer.from(label.slice(0, -1), 'latin1').toString()).value as string;
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
