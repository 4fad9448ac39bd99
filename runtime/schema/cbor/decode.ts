/**
 * CBOR to JSON values by the rules of 1.32: texts are strings of either type, keys too; integers have 64 bits and stay apart from floating-point numbers; what
 * JSON has nothing for is refused. A type of Go's says which members are known, and where bytes are wanted.
 */
import { isUtf8 } from 'node:buffer';
import { string, struct } from '../../contract/descriptor.ts';
import type { Identity } from '../../contract/identity.ts';
import { Code, type CompiledList, type CompiledMap, type CompiledStruct, type CompiledType, compileType } from '../compile.ts';
import { type JsonObject, setMember } from '../member.ts';
import { canonicalBase64 } from '../scalar/bytes.ts';
import { integerOf, numberText, numeric, type RawNumber, rawNumber } from '../scalar/raw-number.ts';
import { ScalarError } from '../scalar/scalar-error.ts';
import { typeName } from '../type-name.ts';
import { utf8Text } from '../utf8-text.ts';
import { CborError } from './error.ts';
import { ARRAY, BYTES, MAP, NEGATIVE, nameOf, POSITIVE, PRIMITIVE, TAG, TEXT } from './head.ts';
import { CborReader } from './reader.ts';
import { encodedText, epochText, isBinary, requireContent, TAGS, timeText } from './tags.ts';
import { type CborLimits, OF_CLIENTS, requireWellFormed, unacceptable } from './well-formed.ts';

export interface DecodedCbor {
  readonly value: unknown;
  /** of the first member that its type does not have: its place in its map, which is all that 1.32 says of it */
  readonly unknownAt: number | undefined;
}

/**
 * @param type of Go's; absent: values are what they are
 * @throws CborError for what is not well-formed, and for the first value that is none of its type
 */
export function decodeCbor(bytes: Buffer, type?: CompiledType, limits: CborLimits = OF_CLIENTS): DecodedCbor {
  requireWellFormed(bytes, limits);
  const decoder = new Decoder(bytes);
  const value = decoder.value(type);
  return { value, unknownAt: decoder.unknownAt };
}

/** An object that says what it is, of whatever type. */
const NAMES = struct('io.k8s.apimachinery.pkg.apis.meta.v1.TypeMeta', () => [
  { name: 'kind', type: string },
  { name: 'apiVersion', type: string },
]);

export interface CborNames {
  readonly kind?: string;
  readonly apiVersion?: string;
}

/** What an object says that it is, which 1.32 reads before anything else of it. @throws CborError */
export function namesOfCbor(bytes: Buffer, identity: Identity): CborNames {
  return (decodeCbor(bytes, compileType(NAMES, identity)).value ?? {}) as CborNames;
}

/** Values of these types are texts. */
const TEXTS: ReadonlySet<number> = new Set([Code.string, Code.time, Code.microTime, Code.duration, Code.quantity]);
const NULL = 0xf6;
const INT32_END = 2n ** 31n;
const INT64_END = 2n ** 63n;
const FALSE = 20n;
const TRUE = 21n;

/** Whether something is known of values of the type; of others they are what they are. */
const isKnown = (type: CompiledType): boolean =>
  type.code === Code.struct
    ? (type as CompiledStruct).isGo
    : type.code <= Code.quantity || type.code === Code.list || type.code === Code.map;

/** Of bytes that are well-formed: what is read is there. */
class Decoder extends CborReader {
  unknownAt: number | undefined;
  /** of the outermost struct, which is the one that 1.32 names */
  #field: string | undefined;

  value(of: CompiledType | undefined): unknown {
    const type = of !== undefined && isKnown(of) ? of : undefined;
    if (this.major === TAG) return this.#tagged(type);
    if (this.next === NULL) {
      this.at++;
      return null;
    }
    return type === undefined ? this.#any() : this.#typed(type);
  }

  #any(): unknown {
    switch (this.major) {
      case POSITIVE:
      case NEGATIVE:
        return this.#integer(INT64_END, 'int64', "Go's int64");
      case BYTES:
      case TEXT:
        return this.#text();
      case ARRAY:
        return this.#list(undefined);
      case MAP:
        return this.#map(undefined);
      default:
        return this.#primitive();
    }
  }

  #typed(type: CompiledType): unknown {
    const { code } = type;
    if (TEXTS.has(code)) return this.#typedText(code === Code.string ? typeName(type) : 'string');
    switch (code) {
      case Code.boolean:
        return this.#boolean(typeName(type));
      case Code.int32:
      case Code.int64:
        this.#require(this.#isInteger, type);
        return this.#integer(code === Code.int32 ? INT32_END : INT64_END, typeName(type));
      case Code.double:
        this.#require(this.#isInteger || this.isFloat, type);
        return this.#any();
      case Code.bytes:
        return this.#typedBytes(type);
      case Code.list:
        this.#require(this.major === ARRAY, type);
        return this.#list((type as CompiledList).element);
      case Code.map:
        this.#require(this.major === MAP, type);
        return this.#map((type as CompiledMap).value);
      default:
        this.#require(this.major === MAP, type, 'cannot decode CBOR array to struct without toarray option');
        return this.#members(type as CompiledStruct);
    }
  }

  get #isInteger(): boolean {
    return this.major === POSITIVE || this.major === NEGATIVE;
  }

  /** @param ofArrays what is said of an array besides */
  #require(fits: boolean, type: CompiledType, ofArrays?: string): void {
    if (!fits) throw this.#mismatch(typeName(type), this.major === ARRAY ? ofArrays : undefined);
  }

  #mismatch(wanted: string, detail?: string): CborError {
    const place = this.#field === undefined ? 'Go value' : `Go struct field ${this.#field}`;
    const more = detail === undefined ? '' : ` (${detail})`;
    return new CborError(`cbor: cannot unmarshal ${nameOf(this.major)} into ${place} of type ${wanted}${more}`);
  }

  #typedText(wanted: string): string {
    if (this.major !== BYTES && this.major !== TEXT) throw this.#mismatch(wanted);
    return this.#text();
  }

  #boolean(wanted: string): boolean {
    const start = this.at;
    const value = this.major === PRIMITIVE ? this.#primitive() : undefined;
    if (typeof value === 'boolean') return value;
    this.at = start;
    throw this.#mismatch(wanted);
  }

  /** Bytes that no tag says anything of are the text of bytes, as in JSON; an array has them one by one. */
  #typedBytes(type: CompiledType): string {
    if (this.major === ARRAY) {
      const start = this.at;
      const bytes = this.#list(undefined);
      if (bytes.every((byte) => Number.isInteger(byte) && (byte as number) >= 0 && (byte as number) < 256))
        return Buffer.from(bytes as number[]).toString('base64');
      this.at = start;
    }
    this.#require(this.major === BYTES, type);
    try {
      return canonicalBase64(this.#text());
    } catch (error) {
      if (!(error instanceof ScalarError)) throw error;
      throw new CborError(`cbor: failed to decode base64 from byte string: ${error.message}`);
    }
  }

  /** @param limit the first that is too large, and the first below zero that is too small */
  #integer(limit: bigint, wanted: string, limited = wanted): number | RawNumber {
    const start = this.at;
    const isNegative = this.major === NEGATIVE;
    const given = this.head() as bigint;
    const value = isNegative ? -1n - given : given;
    if (given < limit) return integerOf(value);
    this.at = start;
    throw this.#mismatch(wanted, `${value} overflows ${limited}`);
  }

  #primitive(): unknown {
    if (this.isFloat) return floatOf(this.float());
    const simple = this.head() as bigint;
    if (simple === FALSE || simple === TRUE) return simple === TRUE;
    throw unacceptable(PRIMITIVE, `simple value ${simple} is not recognized`);
  }

  #tagged(type: CompiledType | undefined): unknown {
    const number = Number(this.head());
    requireContent(number, this.next);
    if (number === TAGS.bignum || number === TAGS.negativeBignum) throw unacceptable(TAG, 'bignum');
    if (isBinary(number)) {
      if (type?.code === Code.bytes) return this.string().toString('base64');
      if (type === undefined || TEXTS.has(type.code)) return encodedText(number, this.string());
    }
    if (type !== undefined) return this.value(type);
    if (number === TAGS.text) return timeText(this.#text());
    return number === TAGS.epoch ? epochText(numeric(this.#any())) : this.value(undefined);
  }

  /** Strings of bytes may be no text, which then is replaced. */
  #text(): string {
    const isText = this.major === TEXT;
    const bytes = this.string();
    const text = utf8Text(bytes);
    if (isText && text.includes(REPLACEMENT) && !isUtf8(bytes)) throw new CborError('cbor: invalid UTF-8 string');
    return text;
  }

  #list(element: CompiledType | undefined): unknown[] {
    const values: unknown[] = [];
    this.each(() => values.push(this.value(element)));
    return values;
  }

  #map(type: CompiledType | undefined): JsonObject {
    const map: JsonObject = {};
    const keys = new Set<string>();
    this.each((index) => {
      if (!this.#isText) throw this.#mismatch('string');
      const name = this.#key(keys, index);
      setMember(map, name, this.value(type));
    });
    return map;
  }

  /** What the type does not have is passed over, whatever it is. */
  #members(type: CompiledStruct): JsonObject {
    const object: JsonObject = {};
    const keys = new Set<string>();
    const isOutermost = this.#field === undefined;
    this.each((index) => {
      if (!this.#isText && !this.#isInteger) {
        const detail = `map key is of type ${nameOf(this.major)} and cannot be used to match struct field name`;
        throw this.#mismatch('string', detail);
      }
      const isName = this.#isText;
      const name = this.#key(keys, index);
      const member = isName ? type.byName.get(name) : undefined;
      if (member === undefined) {
        this.unknownAt ??= index;
        this.#pass();
        return;
      }
      if (isOutermost) this.#field = `${typeName(type)}.${name}`;
      setMember(object, name, this.value(member.type));
      if (isOutermost) this.#field = undefined;
    });
    return object;
  }

  get #isText(): boolean {
    return this.major === BYTES || this.major === TEXT;
  }

  /** A string of either type, or an integer, which no other key of the map is. */
  #key(keys: Set<string>, index: number): string {
    const start = this.at;
    const isText = this.#isText;
    const name = isText ? this.#text() : (numberText(this.#integer(INT64_END, 'int64')) as string);
    // different bytes that are no text, and integers, are keys of their own, however long their heads are
    const bytes = isText && name.includes(REPLACEMENT) ? this.#stringAt(start).toString('latin1') : undefined;
    const key = bytes === undefined ? `${isText ? '"' : '#'}${name}` : `'${bytes}`;
    if (keys.has(key)) throw new CborError(`cbor: found duplicate map key "${name}" at map element index ${index}`);
    keys.add(key);
    return name;
  }

  /** The string that ends here, once more. */
  #stringAt(start: number): Buffer {
    this.at = start;
    return this.string();
  }

  /** Passes the next item. */
  #pass(): void {
    const major = this.major;
    if (major === BYTES || major === TEXT) this.string();
    else if (major === ARRAY) this.each(() => this.#pass());
    else if (major === MAP) this.each(() => this.#passPair());
    else {
      this.head();
      if (major === TAG) this.#pass();
    }
  }

  #passPair(): void {
    this.#pass();
    this.#pass();
  }
}

const REPLACEMENT = '\ufffd';

/** A floating-point number, which stays one where it has no fraction: no integer is wanted to be it. */
function floatOf(value: number): number | RawNumber {
  if (!Number.isInteger(value)) return value;
  const text = String(value);
  return rawNumber(text.includes('e') ? text : `${text}.0`);
}
