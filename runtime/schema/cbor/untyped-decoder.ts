/** Decodes CBOR to JSON values without a type. `decode.ts` adds what types say. */
import { isUtf8 } from 'node:buffer';
import { goQuote } from '../../contract/go-quote.ts';
import { type JsonObject, setMember } from '../json/member.ts';
import { integerOf, numeric, type RawNumber } from '../scalar/raw-number.ts';
import { utf8Text } from '../text/utf8-text.ts';
import { CborError } from './error.ts';
import { ARRAY, BYTES, MAP, NEGATIVE, nameOf, POSITIVE, PRIMITIVE, TEXT } from './head.ts';
import { CborReader } from './reader.ts';
import { encodedText, epochText, isTextTag, requireContent, TAGS, timeText } from './tags.ts';
import { unacceptable } from './well-formed.ts';

export const INT64_END = 2n ** 63n;
const NULL = 0xf6;
const FALSE = 20;
const TRUE = 21;

/** The bytes must be well-formed, so nothing is read past their end. @typeParam T types of values */
export abstract class UntypedDecoder<T> extends CborReader {
  /** field of the outermost struct, which is the one that errors of 1.32 name */
  protected field: string | undefined;
  /** the nearest enclosing tag that says how byte strings become texts */
  protected textTag: number | undefined;
  /** bytes of the text that was read last */
  #textBytes: Buffer = Buffer.alloc(0);

  /** @param type undefined: the value is decoded without a type */
  abstract value(type: T | undefined): unknown;

  /** Reads a key of a map; null is one too. */
  protected abstract name(): string | null;

  protected get isNull(): boolean {
    return this.next === NULL;
  }

  protected get isInteger(): boolean {
    return this.major === POSITIVE || this.major === NEGATIVE;
  }

  protected get isText(): boolean {
    return this.major === BYTES || this.major === TEXT;
  }

  protected any(): unknown {
    switch (this.major) {
      case POSITIVE:
      case NEGATIVE:
        return this.integer(INT64_END, 'int64', "Go's int64");
      case BYTES:
      case TEXT:
        return this.text();
      case ARRAY:
        return this.list(undefined);
      case MAP:
        return this.map(undefined);
      default:
        return this.primitive();
    }
  }

  /** @param limit the first value that is too large; the smallest valid negative value is its negative */
  protected integer(limit: number | bigint, wanted: string, limited = wanted): number | RawNumber {
    const start = this.at;
    const isNegative = this.major === NEGATIVE;
    const given = this.head() as number | bigint;
    if (given < limit) {
      if (typeof given === 'number' && given < Number.MAX_SAFE_INTEGER) return isNegative ? -1 - given : given;
      return integerOf(isNegative ? -1n - BigInt(given) : BigInt(given));
    }
    this.at = start;
    const value = isNegative ? -1n - BigInt(given) : given;
    throw this.mismatch(wanted, `${value} overflows ${isNegative && given >= INT64_END ? "Go's int64" : limited}`);
  }

  protected primitive(): unknown {
    if (this.isFloat) return this.float();
    const simple = this.head();
    if (simple === FALSE || simple === TRUE) return simple === TRUE;
    throw unacceptable(PRIMITIVE, `simple value ${simple} is not recognized`);
  }

  protected tagged(type: T | undefined): unknown {
    const number = Number(this.head());
    requireContent(number, this.next);
    if (isTextTag(number)) return this.#within(number, type);
    if (type !== undefined) return this.value(type);
    if (number === TAGS.text) return timeText(this.text());
    return number === TAGS.epoch ? epochText(numeric(this.any())) : this.value(undefined);
  }

  /** The tag applies to all byte strings within the value, except those that have a tag of their own. */
  #within(textTag: number, type: T | undefined): unknown {
    const around = this.textTag;
    this.textTag = textTag;
    const value = this.value(type);
    this.textTag = around;
    return value;
  }

  /** In a byte string, invalid UTF-8 is replaced; in a text string it is an error, and each chunk must be valid by itself. */
  protected text(): string {
    const isText = this.major === TEXT;
    const bytes = this.string();
    this.#textBytes = bytes;
    if (!isText && this.textTag !== undefined) return encodedText(this.textTag, bytes);
    const text = utf8Text(bytes);
    if (isText && (this.isCut || (text.includes(REPLACEMENT) && !isUtf8(bytes)))) throw new CborError('cbor: invalid UTF-8 string');
    return text;
  }

  protected list(element: T | undefined): unknown[] {
    const values: unknown[] = [];
    this.each(() => values.push(this.value(element)));
    return values;
  }

  protected map(type: T | undefined): JsonObject {
    const map: JsonObject = {};
    const others = new OtherKeys();
    let name = '';
    this.each((index) => {
      // Go decodes each key into the same variable, and null leaves the former key there
      name = this.name() ?? name;
      if (this.#isRepeated(map, name, others)) throw repeated(name, index);
      setMember(map, name, this.value(type));
    });
    return map;
  }

  #isRepeated(map: JsonObject, name: string, others: OtherKeys): boolean {
    return name.includes(REPLACEMENT) ? others.has(this.identityOf(name)) : Object.hasOwn(map, name);
  }

  /** What distinguishes a key from others: different byte strings that are invalid UTF-8 may become the same text. */
  protected identityOf(key: string | number | bigint): unknown {
    if (typeof key !== 'string') return BigInt(key);
    return key.includes(REPLACEMENT) ? `${REPLACEMENT}${this.#textBytes.toString('latin1')}` : key;
  }

  protected mismatch(wanted: string, detail?: string): CborError {
    const place = this.field === undefined ? 'Go value' : `Go struct field ${this.field}`;
    const more = detail === undefined ? '' : ` (${detail})`;
    return new CborError(`cbor: cannot unmarshal ${nameOf(this.major)} into ${place} of type ${wanted}${more}`);
  }
}

/** Keys of a map that cannot be distinguished by the names of its members. */
export class OtherKeys {
  #keys: Set<unknown> | undefined;

  /** Whether the key was seen before. It is added if not. */
  has(key: unknown): boolean {
    this.#keys ??= new Set();
    if (this.#keys.has(key)) return true;
    this.#keys.add(key);
    return false;
  }
}

const REPLACEMENT = '\ufffd';

export const repeated = (key: string | number | bigint, index: number): CborError =>
  new CborError(`cbor: found duplicate map key ${typeof key === 'string' ? goQuote(key) : key} at map element index ${index}`);
